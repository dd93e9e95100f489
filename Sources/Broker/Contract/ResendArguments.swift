// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The arguments of the command `resend`: the numbers of the records of a stream that are to come again.
package struct ResendArguments: Hashable, Sendable {
    /// The streams whose records can come again.
    package static let streams: [RecordStream] = [.telemetry, .events]
    /// The largest number of records that one command covers.
    package static let limit: UInt64 = 1000
    /// The largest epoch and the largest number: the integers that JSON can tell apart everywhere.
    package static let largest: UInt64 = 1 << 53 - 1

    package let stream: RecordStream
    package let epoch: UInt64
    package let from: UInt64
    /// The last number; nil: all that the agent has of the epoch.
    package let to: UInt64?

    /// - Returns: nil if the records of this stream can't come again, or the numbers are none or too many.
    package init?(_ stream: RecordStream, epoch: UInt64, from: UInt64, to: UInt64? = nil) {
        guard Self.streams.contains(stream), epoch <= Self.largest, 1...Self.largest ~= from else { return nil }
        if let to { guard to >= from, to - from < Self.limit else { return nil } }
        (self.stream, self.epoch, self.from, self.to) = (stream, epoch, from, to)
    }

    /// The largest range that the command may cover.
    package var numbers: ClosedRange<UInt64> { self.from...(self.to ?? self.from + Self.limit - 1) }

    /// The arguments as a sender writes them.
    package var arguments: [String: JSON] {
        var arguments: [String: JSON] = [
            "stream": .string(self.stream.rawValue), "epoch": .integer(Int64(self.epoch)),
            "from": .integer(Int64(self.from)),
        ]
        arguments["to"] = self.to.map { .integer(Int64(clamping: $0)) }
        return arguments
    }
}
