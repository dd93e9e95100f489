// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The topics of one vehicle: `<prefix>/<vehicle>/…`.
package struct VehicleTopics: Hashable, Sendable {
    /// The topic segment that names the vehicle.
    package let vehicle: String
    private let root: Topic

    /// - Parameter vehicle: the configured name, the VIN, or `agent-<id>`.
    /// - Throws: if `vehicle` cannot be one level of a topic.
    package init(prefix: Topic, vehicle: String) throws(TopicError) {
        self.vehicle = vehicle
        self.root = try prefix.appending(vehicle)
    }

    /// Returns a topic below the vehicle's, such as that of `codes` or `parameters/engine_speed`.
    package func topic(_ path: TopicPath) throws(TopicError) -> Topic {
        var topic = self.root
        for level in path.levels { topic = try topic.appending(level) }
        return topic
    }
}

/// The part of a topic after `<prefix>/<vehicle>/`.
package enum TopicPath: Hashable, Sendable {
    case availability, status, vehicle, codes, monitors, trip, position, limits, finding, commands
    /// The topic that stands for a whole command, such as `commands/read_codes`.
    case button(String)
    /// The topic of a value, with the ECU if that is not the primary one.
    case parameter(String, ecu: String?)
    /// A stream of numbered records.
    case stream(RecordStream)
    /// Records of `telemetry` that are compressed with zlib.
    case compressedTelemetry

    /// The path as text, such as `parameters/engine_speed`.
    package var text: String { self.levels.joined(separator: "/") }

    var levels: [String] {
        switch self {
        case .availability: ["availability"]
        case .status: ["status"]
        case .vehicle: ["vehicle"]
        case .codes: ["codes"]
        case .monitors: ["monitors"]
        case .trip: ["trip"]
        case .position: ["position"]
        case .limits: ["limits"]
        case .finding: ["finding"]
        case .commands: ["commands"]
        case .button(let name): ["commands", name]
        case .parameter(let name, let ecu): ["parameters", name] + (ecu.map { [$0] } ?? [])
        case .stream(let stream): [stream.rawValue]
        case .compressedTelemetry: [RecordStream.telemetry.rawValue, "zlib"]
        }
    }
}

/// The streams of the record plane; each has sequence numbers of its own.
package enum RecordStream: String, CaseIterable, Hashable, Sendable {
    case responses, events, telemetry
}
