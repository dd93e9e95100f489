// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
package import Base
import MQTT

/// Makes samples of what comes on `telemetry` and `telemetry/zlib` of one vehicle, each record once.
package struct TelemetryReader: Sendable {
    /// How long a record may be when it is expanded, in bytes.
    private static let sizeLimit = 8 << 20

    package enum Outcome: Hashable, Sendable {
        /// - Parameter missing: how many records before it have not come.
        case record(Record, missing: UInt64)
        case duplicate
        case damaged
        /// It is no telemetry of a vehicle.
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

    /// A message came.
    package mutating func receive(_ message: Message) -> Outcome {
        guard let (vehicle, path) = self.topics.split(message.topic) else { return .foreign }
        var payload = message.payload
        switch path {
        case "telemetry": break
        case "telemetry/zlib":
            guard let expanded = Zlib.expanded(payload, limit: Self.sizeLimit) else { return .damaged }
            payload = expanded
        default: return .foreign
        }
        let json = JSON(payload: payload)
        guard let number = RecordNumber(json), let start = json["t0"].time,
            let samples = Telemetry(json)?.samples(from: start)
        else { return .damaged }
        guard case .new(let missing) = self.sequence.receive(number) else { return .duplicate }
        let clock = json["clock"].string.flatMap(ClockQuality.init) ?? .unsynchronised
        return .record(Record(vehicle: vehicle, number: number, clock: clock, samples: samples), missing: missing)
    }
}
