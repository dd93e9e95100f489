// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2
import Testing

@testable import HomeAssistant

/// A discovery with a manual clock and a broker that acknowledges all messages.
struct Bench {
    static let vin = "1HGCM82633A004352"

    var discovery: Discovery
    var now = MonotonicTime(sinceBoot: .seconds(100))
    var published: [Message] = []
    var persisted: [AnnouncedVehicle]

    init(
        form: DiscoveryForm? = .device,
        announced: [AnnouncedVehicle] = [],
        agent: String = "a1b2c3d4e5f6",
        isImperial: Bool = false,
        consoleURL: String? = nil
    ) throws {
        var options = Discovery.Options(
            prefix: try Topic("homeassistant"),
            form: form,
            topicPrefix: try Topic("obd"),
            agent: agent,
            version: "1.2.3",
            showsValues: true,
            isImperial: isImperial
        )
        options.consoleURL = consoleURL
        self.discovery = Discovery(options, announced: announced)
        self.persisted = announced
    }

    /// Advances the clock until the discovery has no deadline, and returns what it published.
    @discardableResult
    mutating func run() -> [(at: MonotonicTime, messages: [Message])] {
        var steps: [(at: MonotonicTime, messages: [Message])] = []
        while let deadline = self.discovery.deadline {
            self.now = max(self.now, deadline)
            guard case .publish(let messages, let persisted) = self.discovery.due(at: self.now) else { continue }
            steps.append((self.now, messages))
            self.published += messages
            if let persisted { self.persisted = persisted }
        }
        return steps
    }

    mutating func connect(isSessionPresent: Bool = false) {
        self.discovery.brokerConnected(isSessionPresent: isSessionPresent, at: self.now)
    }

    mutating func identify(_ name: String = "van-12", vin: String? = Self.vin) {
        guard let prefix = try? Topic("obd"), let topics = try? VehicleTopics(prefix: prefix, vehicle: name) else {
            return
        }
        self.discovery.vehicleIdentified(topics, vin: vin, at: self.now)
    }

    /// Connects a vehicle with two values and announces it.
    mutating func start(isSessionPresent: Bool = false, vin: String? = Self.vin) {
        self.connect(isSessionPresent: isSessionPresent)
        self.discovery.valuesSelected(values(0x0C, 0x0D), at: self.now)
        self.identify(vin: vin)
        self.discovery.valuesReceived(named: ["engine_speed", "vehicle_speed"], at: self.now)
        _ = self.run()
    }

    /// The retained messages at the end, by topic.
    var retained: [String: [UInt8]] {
        self.published.reduce(into: [:]) { $0[$1.topic.description] = $1.payload.isEmpty ? nil : $1.payload }
    }
}

/// Returns the values of these PIDs of service 01.
func values(_ pids: UInt8...) -> [VehicleValue] {
    VehicleValue.all(of: pids.map { ParameterKey.pid(PID(rawValue: $0)) }, custom: [])
}

/// Returns the members of a JSON object.
func object(_ json: JSON?) throws -> [String: JSON] {
    guard case .object(let members) = json else { throw NotAnObject() }
    return members
}

struct NotAnObject: Error {}

/// Returns the components of a device's message.
func components(_ message: Message) throws -> [String: [String: JSON]] {
    let json = try JSON(parsing: message.payload, depthLimit: 8)
    return try object(object(json)["cmps"]).mapValues { try object($0) }
}
