// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// What the retained topics of a vehicle say about it.
package struct VehiclePicture: Hashable, Sendable {
    /// The topics that it is made of.
    package static let paths = ["availability", "status", "vehicle", "codes"]

    /// The vehicle's topic level.
    package let name: String
    /// Whether its agent is connected to the broker; nil where nobody has said so.
    package private(set) var availability: Availability?
    /// The payloads of the topics of the same names; null where there are none.
    package private(set) var status = JSON.null
    package private(set) var vehicle = JSON.null
    package private(set) var codes = JSON.null

    package init(name: String) {
        self.name = name
    }

    /// One of its topics has this payload; returns whether it is one of ``paths``.
    @discardableResult
    package mutating func receive(_ path: String, _ payload: [UInt8]) -> Bool {
        switch path {
        case "availability":
            self.availability = Availability(rawValue: String(decoding: payload.prefix(16), as: UTF8.self))
        case "status": self.status = JSON(payload: payload)
        case "vehicle": self.vehicle = JSON(payload: payload)
        case "codes": self.codes = JSON(payload: payload)
        default: return false
        }
        return true
    }

    package var vin: String? { self.vehicle["vin"].string }
    package var isSimulated: Bool { self.status["simulated"].bool == true }
    /// The identity of its agent.
    package var agent: String? { self.status["agent"].string }
    /// Whether it is left of an agent that has found out by now which vehicle it is in.
    var isForerunner: Bool { self.availability == .offline && self.agent.map { self.name == "agent-\($0)" } == true }
    package var agentVersion: String? { self.status["version"].string }
    package var adapter: String? {
        self.status["adapter"]["identity"].string ?? self.status["adapter"]["address"].string
    }
    /// When its agent said something for the last time, by the agent's clock.
    package var lastSeen: Timestamp? { self.status["time"].time }
    /// What the link to the adapter is doing.
    package var link: String? { self.status["link"].string }
    package var problem: String? { self.status["problem"].string }
    /// Whether it is certain that this is the vehicle that the adapter is plugged into.
    package var isConfirmed: Bool { self.status["vehicle_confirmed"].bool != false }
    package var isParked: Bool? { self.status["parked"].bool }
    /// `on`, `off` or what else the agent says.
    package var ignition: String? {
        self.status["ignition"].string ?? self.status["ignition"].bool.map { $0 ? "on" : "off" }
    }

    /// How many codes there are; nil where that is not known.
    package var codeCount: Int? {
        self.codes["known"].bool == true ? Set(self.codes["codes"].elements.map { $0["code"] }).count : nil
    }

    package var mil: Bool? { self.codes["mil"].bool }

    /// What it is doing, in a few words; empty while nobody knows.
    package var activity: String {
        guard self.availability == .online else { return "" }
        let doubt = self.isConfirmed ? nil : "not confirmed"
        let ignition = self.ignition.map { "ignition \($0)" }
        return [self.isParked == true ? "parked" : self.link, ignition, doubt].compactMap(\.self)
            .joined(separator: ", ")
    }

    /// For programs.
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
            "version": self.agentVersion.map { .string($0) } ?? .null,
        ]
    }
}
