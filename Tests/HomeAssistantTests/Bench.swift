// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Base
import OBD2
import Testing

@testable import HomeAssistant

/// A discovery, its time, and a broker that has all that it publishes.
struct Bench {
    static let vin = "1HGCM82633A004352"

    var discovery: Discovery
    var now = MonotonicTime(sinceBoot: .seconds(100))
    var published: [Message] = []
    var remembered: [AnnouncedVehicle]

    init(
        form: DiscoveryForm? = .device,
        announced: [AnnouncedVehicle] = [],
        agent: String = "a1b2c3d4e5f6",
        isImperial: Bool = false
    ) throws {
        let options = Discovery.Options(
            prefix: try Topic("homeassistant"),
            form: form,
            topicPrefix: try Topic("obd"),
            agent: agent,
            version: "1.2.3",
            showsValues: true,
            isImperial: isImperial
        )
        self.discovery = Discovery(options, announced: announced)
        self.remembered = announced
    }

    /// Lets time pass until nothing more is to come.
    @discardableResult
    mutating func run() -> [(at: MonotonicTime, messages: [Message])] {
        var steps: [(at: MonotonicTime, messages: [Message])] = []
        while let deadline = self.discovery.deadline {
            self.now = max(self.now, deadline)
            guard case .publish(let messages, let remember) = self.discovery.due(at: self.now) else { continue }
            steps.append((self.now, messages))
            self.published += messages
            if let remember { self.remembered = remember }
        }
        return steps
    }

    mutating func connect(isKnown: Bool = false) { self.discovery.connected(isKnown: isKnown, at: self.now) }

    mutating func meet(_ name: String = "van-12", vin: String? = Self.vin) {
        guard let prefix = try? Topic("obd"), let topics = try? VehicleTopics(prefix: prefix, vehicle: name) else {
            return
        }
        self.discovery.identified(topics, vin: vin, at: self.now)
    }

    /// A vehicle with two values is connected, and announced.
    mutating func start(isKnown: Bool = false, vin: String? = Self.vin) {
        self.connect(isKnown: isKnown)
        self.discovery.selected(values(0x0C, 0x0D), at: self.now)
        self.meet(vin: vin)
        self.discovery.told(["engine_speed", "vehicle_speed"], at: self.now)
        _ = self.run()
    }

    /// What the broker has at the end.
    var retained: [String: [UInt8]] {
        self.published.reduce(into: [:]) { $0[$1.topic.description] = $1.payload.isEmpty ? nil : $1.payload }
    }
}

/// The values of these PIDs of service 01.
func values(_ pids: UInt8...) -> [VehicleValue] {
    VehicleValue.all(of: pids.map { ParameterKey.pid(PID(rawValue: $0)) }, custom: [])
}

/// A JSON object's members.
func object(_ json: JSON?) throws -> [String: JSON] {
    guard case .object(let members) = json else { throw NotAnObject() }
    return members
}

struct NotAnObject: Error {}

/// The components of a device's message.
func components(_ message: Message) throws -> [String: [String: JSON]] {
    let json = try JSON(parsing: message.payload, depthLimit: 8)
    return try object(object(json)["cmps"]).mapValues { try object($0) }
}
