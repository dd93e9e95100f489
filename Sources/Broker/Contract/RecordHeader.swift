// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The members of a record that are added when it is sent: its number and the time of its creation.
///
/// A record is stored without a date, because the clock may be set between its creation and its sending.
package struct RecordHeader: Hashable, Sendable {
    package var number: RecordNumber
    package var time: Timestamp
    /// Whether the time is from a synchronized clock.
    package var clock: ClockQuality
    /// The id of the machine's boot in which the record was created.
    package var boot: String

    package init(number: RecordNumber, time: Timestamp, clock: ClockQuality, boot: String) {
        self.number = number
        self.time = time
        self.clock = clock
        self.boot = boot
    }

    /// Returns the payload of a record: the header and the body in one JSON object.
    ///
    /// - Parameter body: a JSON object with at least one member, without white space around it.
    /// - Returns: nil if `body` is not such an object.
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

    /// Returns a JSON string of the ASCII letters, digits and dashes of `text`, which need no escape.
    private static func quoted(_ text: String) -> String {
        "\"\(text.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })\""
    }
}
