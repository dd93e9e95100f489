// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

extension ResendArguments {
    /// Reads the arguments of `resend`: a stream, an epoch and a range of numbers.
    init(_ arguments: JSONReader) throws(JSONError) {
        try arguments.allow(["stream", "epoch", "from", "to"])
        let names = Self.streams.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        guard let stream = RecordStream(rawValue: try arguments.string("stream")),
            Self.streams.contains(stream)
        else { throw arguments.error("stream", names) }
        let epoch = try Self.number("epoch", arguments, from: 0)
        let from = try Self.number("from", arguments, from: 1)
        let to = arguments["to"] == nil ? nil : try Self.number("to", arguments, from: from)
        guard let range = Self(stream, epoch: epoch, from: from, to: to) else {
            throw arguments.problem("to", "a command covers at most \(Self.limit) numbers. Try: several commands")
        }
        self = range
    }

    private static func number(
        _ key: String,
        _ arguments: JSONReader,
        from first: UInt64
    ) throws(JSONError) -> UInt64 {
        guard let number = arguments[key]?.count, first...Self.largest ~= number else {
            throw arguments.error(key, "an integer from \(first) to \(Self.largest)")
        }
        return number
    }
}
