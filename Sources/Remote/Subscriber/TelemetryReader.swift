// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract
import MQTT

/// Decodes the samples of the topics `telemetry` and `telemetry/zlib`, and drops duplicate records.
package struct TelemetryReader: Sendable {
    /// The largest size of an expanded record, in bytes.
    private static let sizeLimit = 8 << 20

    /// The result of a message.
    package enum Outcome: Hashable, Sendable {
        /// A new record.
        ///
        /// - Parameter missing: the number of records missing right before this one.
        case record(Record, missing: UInt64)
        /// A record that was received before.
        case duplicate
        /// The payload is no valid record.
        case damaged
        /// The topic is not one of telemetry.
        case foreign
    }

    /// The samples of one record.
    package struct Record: Hashable, Sendable {
        package let vehicle: String
        package let number: RecordNumber
        package let clock: ClockQuality
        package let samples: [TelemetrySample]
    }

    private let topics: FleetTopics
    private var sequence = RecordSequence()

    package init(_ topics: FleetTopics) {
        self.topics = topics
    }

    /// Decodes a message.
    package mutating func receive(_ message: Message) -> Outcome {
        guard let (vehicle, path) = self.topics.split(message.topic) else { return .foreign }
        guard path == "telemetry" || path == "telemetry/zlib" else { return .foreign }
        guard let payload = Self.expanded(message.payload, of: path, limit: Self.sizeLimit) else { return .damaged }
        let json = JSON(payload: payload)
        guard let number = RecordNumber(json), let start = json["t0"].time,
            let samples = Telemetry(json)?.samples(from: start)
        else { return .damaged }
        guard case .new(let missing) = self.sequence.receive(number) else { return .duplicate }
        let clock = json["clock"].string.flatMap(ClockQuality.init) ?? .unsynchronised
        return .record(Record(vehicle: vehicle, number: number, clock: clock, samples: samples), missing: missing)
    }

    /// Returns the JSON text of a record; nil if it has more than `limit` bytes, or cannot be expanded.
    ///
    /// - Parameter path: the topic after the vehicle's level.
    package static func expanded(_ payload: [UInt8], of path: String, limit: Int) -> [UInt8]? {
        if path == "telemetry/zlib" { return Zlib.expanded(payload, limit: limit) }
        return payload.count <= limit ? payload : nil
    }
}
