// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import FoundationEssentials
import JOSE
import TestSupport
import Testing

/// A broker, an agent on it, and who sees what they say.
struct Bench: Sendable {
    let broker: Broker
    let observer: Observer
    let directory: TemporaryDirectory
    /// Who sends the commands.
    let publisher: Publisher

    /// How an agent is configured.
    struct Settings: Sendable {
        var adapter: String
        var vehicle = ""
        var allow = ["describe", "read_codes", "read_parameters", "select_parameters", "clear_codes"]
        /// What else stands in `[commands]`.
        var commands: [String] = []
        var unsignedRole = "specialist"
        /// Instead of that of ``engineer``.
        var trustedKeys: String?
        var trust = "system"
        /// Instead of a plain connection.
        var mqtt: [String]?
        var parameters: [String] = []
        /// What else stands in `[uplink]`.
        var uplink: [String] = []
        /// What stands in `[home_assistant]`.
        var homeAssistant: [String] = []
        /// In seconds.
        var storeWindow = 10
    }

    /// Who may ask for everything.
    static let engineer: JSONWebKey = {
        guard let key = try? JSONWebKey.generate(keyID: "bench", members: ["roles": ["engineer"]]) else {
            preconditionFailure("no key")
        }
        return key
    }()

    /// A file of trusted keys.
    static func trusting(_ keys: JSONWebKey...) -> String {
        JSON.object(["keys": .array(keys.map(\.publicKey.json))]).text
    }

    /// Runs `body` beside a broker, and then holds every message that came against the contract.
    ///
    /// - Parameters:
    ///   - weight: of the places that there are for tests at the same time, how many it takes.
    ///   - credentials: what `mosquitto_sub` has to say to see everything.
    ///   - sender: what `mosquitto_pub` has to say to send commands.
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
    /// - Parameter environment: what it has besides our own.
    func start(_ settings: Settings, environment: [String: String] = [:]) throws -> ChildProcess {
        let mqtt = settings.mqtt ?? ["url = \"mqtt://127.0.0.1:\(self.broker.port)\""]
        let keys = try settings.trustedKeys ?? self.directory.write(Self.trusting(Self.engineer), to: "engineer.json")
        let lines =
            ["[vehicle]", "name = \"\(settings.vehicle)\"", "[adapter]", "address = \"\(settings.adapter)\"", "[mqtt]"]
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

    /// The first message on this topic below `obd/<vehicle>/`.
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
            // HomeAssistantTests judge what Home Assistant is told.
            if levels.first == "homeassistant" { return nil }
            // What goes to the agent is not what the agent says.
            guard levels.count == 3, levels[0] == "obd" else { return "\(message.topic)\t" }
            return levels[2] == "commands" ? nil : "\(levels[2])\t\(message.payload.hexadecimal)"
        }
        let file = try self.directory.write(lines.joined(separator: "\n"), to: "messages")
        do {
            _ = try await PythonTools().run("check_contract", ["\(PythonTools.packageRoot)/docs/contract", file])
        } catch {
            Issue.record(error, "a message breaks the contract")
        }
    }
}

/// Each test starts half a dozen programs; a small machine runs only so many at a time.
actor Places {
    static let shared = Places(count: 12)

    private let count: Int
    private var free: Int
    private var waiting: [(weight: Int, continuation: CheckedContinuation<Void, Never>)] = []

    private init(count: Int) {
        self.count = count
        self.free = count
    }

    /// - Parameter weight: at most how many there are.
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
