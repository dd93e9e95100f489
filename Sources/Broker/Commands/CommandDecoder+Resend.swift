// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

// The arguments of `resend`.
extension CommandDecoder {
    /// Reads a stream, an epoch and a range of numbers.
    static func resend(_ arguments: JSONReader) throws(JSONError) -> ResendArguments {
        try arguments.allow(["stream", "epoch", "from", "to"])
        let names = ResendArguments.streams.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        guard let stream = RecordStream(rawValue: try arguments.string("stream")),
            ResendArguments.streams.contains(stream)
        else { throw arguments.error("stream", names) }
        let epoch = try Self.number("epoch", arguments, from: 0)
        let from = try Self.number("from", arguments, from: 1)
        guard arguments["to"] != nil else {
            return try Self.request(ResendArguments(stream, epoch: epoch, from: from), arguments)
        }
        let to = try Self.number("to", arguments, from: from)
        return try Self.request(ResendArguments(stream, epoch: epoch, from: from, to: to), arguments)
    }

    private static func request(_ request: ResendArguments?, _ arguments: JSONReader) throws(JSONError)
        -> ResendArguments
    {
        guard let request else {
            let problem = "a command covers at most \(ResendArguments.limit) numbers. Try: several commands"
            throw arguments.problem("to", problem)
        }
        return request
    }

    private static func number(
        _ key: String,
        _ arguments: JSONReader,
        from first: UInt64
    ) throws(JSONError) -> UInt64 {
        guard let number = arguments[key]?.count, first...ResendArguments.largest ~= number else {
            throw arguments.error(key, "an integer from \(first) to \(ResendArguments.largest)")
        }
        return number
    }
}
