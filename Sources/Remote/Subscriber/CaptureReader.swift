// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// Decodes the captures among the messages of the topic `events`, and drops duplicate records.
package struct CaptureReader: Sendable {
    /// A capture with its record.
    package struct Record: Hashable, Sendable {
        package let vehicle: String
        package let number: RecordNumber
        /// The moment of the capture.
        package let time: Timestamp
        package let clock: ClockQuality
        package let report: CaptureReport
    }

    /// The number of captures that are remembered, so that each is reported once.
    private static let limit = 1000

    private let topics: FleetTopics
    /// The captures that were received last, in the order of their arrival. Earlier ones may come again at any time.
    private var received: [RecordNumber] = []

    package init(_ topics: FleetTopics) {
        self.topics = topics
    }

    /// Returns the capture of a message; nil if the message is no capture, or was received before.
    package mutating func receive(_ message: Message) -> Record? {
        guard let (vehicle, path) = self.topics.split(message.topic), path == "events" else { return nil }
        let json = JSON(payload: message.payload)
        guard json["event"].string == AgentEvent.Kind.capture.rawValue, let number = RecordNumber(json),
            !self.received.contains(number), let time = json["time"].time,
            let report = CaptureReport(json["capture"])
        else { return nil }
        self.received = self.received.suffix(Self.limit - 1) + [number]
        let clock = json["clock"].string.flatMap(ClockQuality.init) ?? .unsynchronised
        return Record(vehicle: vehicle, number: number, time: time, clock: clock, report: report)
    }
}
