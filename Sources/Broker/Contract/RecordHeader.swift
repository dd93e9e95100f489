// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// What stands in a record beside its body, and is known only when it is sent: its number, and when it was born.
///
/// A record is kept without its date: the clock may be set right between its birth and its sending.
package struct RecordHeader: Hashable, Sendable {
    package var number: RecordNumber
    package var time: Timestamp
    /// Whether the time is right.
    package var clock: ClockQuality
    /// The boot of the machine in which it was born.
    package var boot: String

    package init(number: RecordNumber, time: Timestamp, clock: ClockQuality, boot: String) {
        self.number = number
        self.time = time
        self.clock = clock
        self.boot = boot
    }

    /// The payload of a stream: the header and the body in one JSON object.
    ///
    /// - Parameter body: a JSON object, without white space around it, that is not empty.
    /// - Returns: nil where `body` is no such thing.
    package func payload(of stream: RecordStream, body: [UInt8]) -> [UInt8]? {
        guard body.count > 2, body.first == UInt8(ascii: "{"), body.last == UInt8(ascii: "}") else { return nil }
        var text = "{\"v\":1,\"agent\":\(Self.quoted(self.number.agent)),\"epoch\":\(self.number.epoch)"
        text += ",\"seq\":\(self.number.seq),\"clock\":\"\(self.clock.rawValue)\""
        switch stream {
        case .telemetry: text += ",\"boot\":\(Self.quoted(self.boot)),\"t0\":\"\(self.time)\","
        case .events, .responses: text += ",\"time\":\"\(self.time)\","
        }
        return Array(text.utf8) + body.dropFirst()
    }

    /// A JSON string of what needs no escape; the rest is left out.
    private static func quoted(_ text: String) -> String {
        "\"\(text.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })\""
    }
}
