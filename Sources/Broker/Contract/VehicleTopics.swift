// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The topics of one vehicle: `<prefix>/<vehicle>/…`.
package struct VehicleTopics: Hashable, Sendable {
    /// The topic segment that names the vehicle.
    package let vehicle: String
    private let root: Topic

    /// - Parameter vehicle: the configured name, the VIN, or `agent-<id>`.
    /// - Throws: where `vehicle` can't be one level of a topic.
    package init(prefix: Topic, vehicle: String) throws(TopicError) {
        self.vehicle = vehicle
        self.root = try prefix.appending(vehicle)
    }

    /// One topic below the vehicle's: `codes`, `parameters/engine_speed`.
    package func topic(_ path: TopicPath) throws(TopicError) -> Topic {
        var topic = self.root
        for level in path.levels { topic = try topic.appending(level) }
        return topic
    }
}

/// What comes after `<prefix>/<vehicle>/`.
package enum TopicPath: Hashable, Sendable {
    case availability, status, vehicle, codes, monitors, finding, commands
    /// A value; with an ECU where it is not the primary one's.
    case parameter(String, ecu: String?)
    /// A stream of numbered records.
    case stream(RecordStream)
    /// Records of `telemetry` that are compressed with zlib.
    case compressedTelemetry

    var levels: [String] {
        switch self {
        case .availability: ["availability"]
        case .status: ["status"]
        case .vehicle: ["vehicle"]
        case .codes: ["codes"]
        case .monitors: ["monitors"]
        case .finding: ["finding"]
        case .commands: ["commands"]
        case .parameter(let name, let ecu): ["parameters", name] + (ecu.map { [$0] } ?? [])
        case .stream(let stream): [stream.rawValue]
        case .compressedTelemetry: [RecordStream.telemetry.rawValue, "zlib"]
        }
    }
}

/// The streams of the record plane, each numbered for itself.
package enum RecordStream: String, CaseIterable, Hashable, Sendable {
    case responses, events, telemetry
}
