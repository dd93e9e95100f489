// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Configuration
import EventLoop
import Subscriber

/// Shows this machine's vehicle live, through the agent's broker.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows this machine's vehicle live: a dashboard on a terminal, otherwise a line for each change.",
        discussion: """
            Broker, name and password come from the agent's configuration. The broker must allow that name to read the \
            vehicle's topics. On a broker with other vehicles too, this machine's is the one whose status has the id of \
            its agent. --broker or OBD_AGENT_BROKER names another broker; all is then as with "obd-remote watch".

            \(WatchOptions.keys)
            """
    )

    @OptionGroup var choice: VehicleChoice
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var options: WatchOptions

    func run() async throws {
        if BrokerOptions.value(self.choice.broker.broker, "BROKER") != nil {
            let broker = try self.choice.broker.brokerAccess()
            let deadline = self.options.deadline(on: broker)
            let vehicle = try await self.choice.awaited(on: broker, until: deadline)
            return try await self.options.watch(vehicle, on: broker, until: deadline)
        }
        let configuration = try self.configuration.load()
        let broker = try self.choice.broker.brokerAccess(of: configuration)
        let deadline = self.options.deadline(on: broker)
        let vehicle =
            if self.choice.vehicle == nil {
                try await self.own(on: broker, configuration, until: deadline)
            } else {
                try await self.choice.known(on: broker)
            }
        try await self.options.watch(vehicle, on: broker, until: deadline)
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
        let agent = MachineIdentity().agent(in: configuration.store.directory ?? StateDirectory.own).agent
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
