// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// The state of a vehicle according to its retained topics.
package struct VehiclePicture: Hashable, Sendable {
    /// The topics with that state.
    package static let paths = ["availability", "status", "vehicle", "codes"]

    /// The vehicle's topic level.
    package let name: String
    /// Whether the agent is connected to the broker; nil without such a message.
    package private(set) var availability: Availability?
    /// The payloads of the topics with the same names; null without a message.
    package private(set) var status = JSON.null
    package private(set) var vehicle = JSON.null
    package private(set) var codes = JSON.null
    /// The agent's connection to its broker; nil unless the agent itself is the source.
    package private(set) var broker: BrokerState?

    package init(name: String) {
        self.name = name
    }

    /// Takes the payload of a topic, and returns whether it is about this state.
    @discardableResult
    package mutating func receive(_ path: String, _ payload: [UInt8]) -> Bool {
        switch path {
        case "availability":
            self.availability = Availability(rawValue: String(decoding: payload.prefix(16), as: UTF8.self))
        case "status": self.status = JSON(payload: payload)
        case "vehicle": self.vehicle = JSON(payload: payload)
        case "codes": self.codes = JSON(payload: payload)
        case BrokerReport.path: self.broker = BrokerState(JSON(payload: payload))
        default: return false
        }
        return true
    }

    package var vin: String? { self.vehicle["vin"].string }
    package var isSimulated: Bool { self.status["simulated"].bool == true }
    /// The identity of the agent.
    package var agent: String? { self.status["agent"].string }
    /// Whether this is the provisional name of an agent, which it used before it identified its vehicle.
    package var isProvisional: Bool {
        self.availability == .offline && self.isNamedForAgent
    }
    /// Whether an agent has this name before it identifies its vehicle.
    package var isNamedForAgent: Bool { self.agent.map { self.name == "agent-\($0)" } == true }
    package var agentVersion: String? { self.status["version"].string }
    package var adapter: String? {
        self.status["adapter"]["identity"].string ?? self.status["adapter"]["address"].string
    }
    /// The time of the last status message, by the agent's clock.
    package var lastSeen: Timestamp? { self.status["time"].time }
    /// Whether the agent's clock is set; nil if the agent does not tell.
    package var isClockSet: Bool? {
        self.status["clock"].string.flatMap(ClockQuality.init).map { $0 == .synchronised }
    }
    /// The state of the link to the adapter.
    package var link: String? { self.status["link"].string }
    package var problem: String? { self.status["problem"].string }
    /// Whether the agent has confirmed that its adapter is plugged into this vehicle.
    package var isConfirmed: Bool { self.status["vehicle_confirmed"].bool != false }
    package var isParked: Bool? { self.status["parked"].bool }
    /// The state of the ignition: `on`, `off` or another word of the agent.
    package var ignition: String? {
        self.status["ignition"].string ?? self.status["ignition"].bool.map { $0 ? "on" : "off" }
    }

    /// The number of different codes; nil if the agent does not know the codes.
    package var codeCount: Int? {
        self.codes["known"].bool == true ? Set(self.codes["codes"].elements.map { $0["code"] }).count : nil
    }

    package var mil: Bool? { self.codes["mil"].bool }

    /// A short description of the present activity; empty while the agent is not online.
    package var activity: String {
        guard self.availability == .online else { return "" }
        let doubt = self.isConfirmed ? nil : "not confirmed"
        // Without the link to the adapter nobody sees whether the engine still runs.
        let isSeen = self.link == AgentStatus.Link.connected.rawValue || self.isParked == true
        let ignition = self.ignition.map { isSeen ? "ignition \($0)" : "ignition was \($0)" }
        return [self.isParked == true ? "parked" : self.link, ignition, doubt].compactMap(\.self)
            .joined(separator: ", ")
    }

    /// The state as JSON for other programs.
    package var json: JSON {
        [
            "vehicle": .string(self.name), "vin": self.vin.map { .string($0) } ?? .null,
            "availability": self.availability.map { .string($0.rawValue) } ?? .null,
            "last_seen": self.lastSeen.map { .string($0.description) } ?? .null,
            "link": self.link.map { .string($0) } ?? .null, "problem": self.problem.map { .string($0) } ?? .null,
            "ignition": self.ignition.map { .string($0) } ?? .null, "parked": self.isParked.map { .bool($0) } ?? .null,
            "vehicle_confirmed": .bool(self.isConfirmed), "simulated": .bool(self.isSimulated),
            "codes": self.codeCount.map { .integer(Int64($0)) } ?? .null, "mil": self.mil.map { .bool($0) } ?? .null,
            "adapter": self.adapter.map { .string($0) } ?? .null,
            "version": self.agentVersion.map { .string($0) } ?? .null, "forerunner": .bool(self.isProvisional),
            "last_problem": self.status["last_problem"], "outbox": self.status["outbox"],
            "store": self.status["store"], "clock": self.status["clock"],
            "signal": self.status["adapter"]["rssi"], "battery": self.status["battery"],
            "budget": self.status["budget"], "sent_today": self.status["sent_today"],
        ]
    }
}
