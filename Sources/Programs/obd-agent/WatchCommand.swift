// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Configuration
import Contract
import EventLoop
import Glibc
import Subscriber

/// Shows this machine's vehicle live, from the agent itself or through its broker.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows this machine's vehicle live: a dashboard on a terminal, otherwise a line for each change.",
        discussion: """
            The values come from the agent itself, with or without a broker, for root and the group obd-agent. If no \
            agent of this configuration runs, and with --vehicle, they come from the broker of the configuration, which \
            must allow the agent's name to read the vehicle's topics. On a broker with other vehicles too, this machine's \
            is the one whose status has the id of its agent. --broker or OBD_AGENT_BROKER names another broker; all is \
            then as with "obd-remote watch".

            \(WatchOptions.keys)
            """
    )

    @OptionGroup var choice: VehicleChoice
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var options: WatchOptions

    func run() async throws {
        if OptionValue(self.choice.broker.broker, of: "--broker") != nil {
            let broker = try self.choice.broker.brokerAccess()
            let deadline = self.options.deadline
            let vehicle = try await self.choice.awaited(on: broker, until: deadline)
            return try await self.options.watch(.broker(broker, vehicle: vehicle), until: deadline)
        }
        if self.choice.vehicle == nil, let feed = try await self.feed() {
            return try await self.options.watch(.agent(feed), until: self.options.deadline)
        }
        let configuration = try self.configuration.load()
        if self.choice.vehicle == nil, configuration.mqtt.servers.isEmpty { throw self.noSource(configuration) }
        let broker = try self.choice.broker.brokerAccess(of: configuration)
        let deadline = self.options.deadline
        let vehicle =
            if self.choice.vehicle == nil {
                try await self.own(on: broker, configuration, until: deadline)
            } else {
                try await self.choice.known(on: broker)
            }
        try await self.options.watch(.broker(broker, vehicle: vehicle), until: deadline)
    }

    /// Returns the feed of this configuration's agent; nil if it does not run.
    ///
    /// A user who may not read the configuration gets the feed of the agent that runs.
    private func feed() async throws -> AgentFeed? {
        let isUsual = self.configuration.config == ConfigurationOptions.defaultPath
        let configuration = isUsual ? try? self.configuration.read() : try self.configuration.load()
        let found: AgentFeed?
        do {
            found = try await AgentFeed.find(RuntimeDirectory.sockets(besides: Self.accessibleStore(of: configuration)))
        } catch let failure as CommandFailure where !isUsual && failure.code == .noPermission {
            // It is another configuration's agent that this user may not read from.
            return nil
        }
        guard let feed = found else { return nil }
        let own = configuration.map(Self.agent)
        return own == nil || own == feed.greeting.agent ? feed : nil
    }

    /// Returns the identity of a configuration's agent.
    private static func agent(of configuration: Configuration) -> String {
        MachineIdentity().agent(in: Self.store(of: configuration)).agent
    }

    /// Returns the directory of the database of a configuration's agent.
    private static func store(of configuration: Configuration) -> String {
        configuration.store.directory ?? StateDirectory.own
    }

    /// Returns the directory of the database; nil if this user may not look into it, as into that of the service.
    private static func accessibleStore(of configuration: Configuration?) -> String? {
        guard let store = configuration.map({ Self.store(of: $0) }), unsafe access(store, X_OK) == 0 else { return nil }
        return store
    }

    /// Returns the failure of a configuration that names no broker, and whose agent serves no socket.
    private func noSource(_ configuration: Configuration) -> CommandFailure {
        do throws(DirectoryLock.InUse) {
            _ = try DirectoryLock.acquire(Self.store(of: configuration))
        } catch {
            return CommandFailure(
                .unavailable,
                "the agent runs, because \(error), but serves no socket here",
                next: "sudo obd-agent watch; or read the agent's log, which tells why it has none."
            )
        }
        return CommandFailure(
            .unavailable,
            "no agent of this configuration runs, and [mqtt] url names no broker",
            next:
                "sudo systemctl start obd-agent; without systemd: obd-agent run --config \(self.configuration.config)."
        )
    }

    /// Returns the vehicle with the configured name, or else that of the configuration's agent.
    ///
    /// If the agent has not identified its vehicle yet, and a person is there, waits for that.
    private func own(
        on broker: BrokerAccess,
        _ configuration: Configuration,
        until deadline: MonotonicTime?
    ) async throws -> String {
        if let name = configuration.vehicle.name, try await broker.knows(name) { return name }
        let fleet = try await broker.fleet()
        let agent = Self.agent(of: configuration)
        let own = fleet.vehicles(of: agent)
        if own.allSatisfy(\.isNamedForAgent), BrokerAccess.isWatched {
            return try await broker.firstVehicle(until: deadline) { $0.vehicles(of: agent) }
        }
        guard let vehicle = own.first else {
            throw VehicleChoice.failure(
                "\(broker.name) shows no vehicle of this configuration's agent, \(agent)",
                known: fleet.vehicles.map(\.name)
            )
        }
        guard own.count == 1 else {
            throw VehicleChoice.failure(
                "this configuration's agent, \(agent), has \(own.count) vehicles online",
                known: own.map(\.name)
            )
        }
        return vehicle.name
    }
}
