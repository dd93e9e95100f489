// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import FoundationEssentials
import JOSE
import TestSupport
import Testing

/// A broker for agents, with an observer of all messages and a sender of commands.
struct Bench: Sendable {
    let broker: Broker
    let observer: Observer
    let directory: TemporaryDirectory
    /// The sender of the commands.
    let publisher: Publisher

    /// The configuration of an agent.
    struct Settings: Sendable {
        var adapter: String
        var vehicle = ""
        /// Further lines of `[vehicle]`.
        var identity: [String] = []
        var allow = ["describe", "read_codes", "read_parameters", "select_parameters", "clear_codes"]
        /// Further lines of `[commands]`.
        var commands: [String] = []
        var unsignedRole = "specialist"
        /// The path of the file of trusted keys; nil for a file with the key of ``engineer``.
        var trustedKeys: String?
        var trust = "system"
        /// The lines of `[mqtt]`; nil for a plain connection.
        var mqtt: [String]?
        var parameters: [String] = []
        /// Further lines of `[uplink]`.
        var uplink: [String] = []
        /// The lines of `[home_assistant]`.
        var homeAssistant: [String] = []
        /// The value of `batch_seconds` in `[store]`.
        var storeWindow = 10
    }

    /// The key of an engineer, who may send every command.
    static let engineer: JSONWebKey = {
        guard let key = try? JSONWebKey.generate(keyID: "bench", members: ["roles": ["engineer"]]) else {
            preconditionFailure("no key")
        }
        return key
    }()

    /// Returns the text of a file of trusted keys.
    static func trusting(_ keys: JSONWebKey...) -> String {
        JSON.object(["keys": .array(keys.map(\.publicKey.json))]).text
    }

    /// Runs `body` beside a broker, and then checks every message against the contract.
    ///
    /// - Parameters:
    ///   - weight: the number of places for simultaneous tests that this one takes.
    ///   - credentials: the options with which `mosquitto_sub` may read every topic.
    ///   - sender: the options with which `mosquitto_pub` may send commands.
    static func run(
        weight: Int = 1,
        _ options: Broker.Options = Broker.Options(),
        credentials: [String] = [],
        sender: [String] = [],
        _ body: @Sendable (Bench) async throws -> Void
    ) async throws {
        try await Places.shared.whileTaking(weight) {
            let broker = try await Broker(options)
            let publisher = Publisher(broker, sender)
            let bench = Bench(
                broker: broker,
                observer: try await Observer(broker, credentials, beside: publisher),
                directory: try TemporaryDirectory(),
                publisher: publisher
            )
            do {
                try await body(bench)
            } catch {
                try await bench.checkContract()
                throw error
            }
            try await bench.checkContract()
        }
    }

    /// Starts an agent.
    ///
    /// - Parameter environment: variables that the agent gets besides those of the test.
    func start(_ settings: Settings, environment: [String: String] = [:]) throws -> ChildProcess {
        let mqtt = settings.mqtt ?? ["url = \"mqtt://127.0.0.1:\(self.broker.port)\""]
        let keys = try settings.trustedKeys ?? self.directory.write(Self.trusting(Self.engineer), to: "engineer.json")
        let lines =
            ["[vehicle]", "name = \"\(settings.vehicle)\""] + settings.identity
            + ["[adapter]", "address = \"\(settings.adapter)\"", "[mqtt]"]
            + mqtt + (settings.parameters.isEmpty ? [] : ["[parameters]"] + settings.parameters)
            + ["[commands]", "allow = [\(settings.allow.map { "\"\($0)\"" }.joined(separator: ", "))]"]
            + ["unsigned_role = \"\(settings.unsignedRole)\"", "trusted_keys = \"\(keys)\""]
            + settings.commands + ["[clock]", "trust = \"\(settings.trust)\"", "[uplink]", "batch_seconds = 1"]
            + settings.uplink
            + ["[home_assistant]"] + settings.homeAssistant
            + ["[store]", "directory = \"\(self.directory.path)\"", "batch_seconds = \(settings.storeWindow)"]
        let file = try self.directory.write(lines.joined(separator: "\n") + "\n", to: "agent.toml")
        return try ChildProcess(
            try Program(builtHere: "obd-agent"),
            ["run", "--config", file],
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }
        )
    }

    /// Returns the first message on this topic below `obd/<vehicle>/`.
    func first(
        _ topic: String,
        of vehicle: String,
        after count: Int = 0,
        where predicate: @escaping @Sendable (Observed) -> Bool = { _ in true }
    ) async throws -> Observed {
        try await self.observer.first("\(topic) of \(vehicle)", after: count) {
            $0.topic == "obd/\(vehicle)/\(topic)" && predicate($0)
        }
    }

    /// Returns every message that the broker has accepted until now.
    ///
    /// A message that a program has published before its end may still be on its way to the observer.
    func everything() async throws -> [Observed] {
        let count = await self.observer.count
        try await self.publisher.publish("everything", to: Observer.ownTopic)
        _ = try await self.observer.first("the end of the messages", after: count) {
            $0.topic == Observer.ownTopic && $0.text == "everything"
        }
        return await self.observer.messages
    }

    /// Sends a command, and returns its last response.
    @discardableResult
    func perform(_ command: CommandText, on vehicle: String, properties: [String] = []) async throws -> JSON {
        let count = await self.observer.count
        let topic = "obd/\(vehicle)/commands"
        try await self.publisher.publish(try command.text(), to: topic, properties: properties)
        let response = try await self.first("responses", of: vehicle, after: count) {
            $0.json["id"].string == command.id && $0.json["state"] != "accepted" && $0.json["state"] != "running"
        }
        return response.json
    }

    private func checkContract() async throws {
        let lines = await self.observer.messages.compactMap { message -> String? in
            let levels = message.topic.split(separator: "/", maxSplits: 2)
            // HomeAssistantTests check the messages to Home Assistant.
            if levels.first == "homeassistant" { return nil }
            // The test itself sends the commands, so the contract is not checked for them.
            guard levels.count == 3, levels[0] == "obd" else { return "\(message.topic)\t" }
            return levels[2].hasPrefix("commands") ? nil : "\(levels[2])\t\(message.payload.hexadecimal)"
        }
        let file = try self.directory.write(lines.joined(separator: "\n"), to: "messages")
        do {
            _ = try await PythonTools().run("check_contract", ["\(PythonTools.packageRoot)/docs/contract", file])
        } catch {
            Issue.record(error, "a message breaks the contract")
        }
    }
}

/// The places for simultaneous tests; each test starts several programs, of which a small machine runs only a few.
actor Places {
    static let shared = Places(count: 12)

    private let count: Int
    private var free: Int
    private var waiting: [(weight: Int, continuation: CheckedContinuation<Void, Never>)] = []

    private init(count: Int) {
        self.count = count
        self.free = count
    }

    /// Runs `body` while it holds `weight` places.
    func whileTaking(_ weight: Int, _ body: @Sendable () async throws -> Void) async throws {
        if self.waiting.isEmpty && self.free >= weight {
            self.free -= weight
        } else {
            await withCheckedContinuation { self.waiting.append((min(weight, self.count), $0)) }
        }
        defer { self.give(min(weight, self.count)) }
        try await body()
    }

    private func give(_ weight: Int) {
        self.free += weight
        while let next = self.waiting.first, next.weight <= self.free {
            self.free -= next.weight
            self.waiting.removeFirst().continuation.resume()
        }
    }
}
