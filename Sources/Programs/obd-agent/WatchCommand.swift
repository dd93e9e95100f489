// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import CommandLine
import Configuration
import Subscriber

/// Shows this machine's vehicle live, through the agent's broker.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows this machine's vehicle live: a dashboard on a terminal, otherwise a line for each change.",
        discussion: """
            Broker, name and password come from the agent's configuration. --broker or OBD_AGENT_BROKER names another \
            broker, as with "obd-remote watch". The broker must allow that name to read the vehicle's topics.

            Keys: q quits, p lists the parameters (the space bar shows or hides one), the arrows scroll, l redraws. If \
            NO_COLOR is set, there are no colors.
            """
    )

    @OptionGroup var choice: VehicleChoice
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var options: WatchOptions

    func run() async throws {
        if BrokerOptions.value(self.choice.broker.broker, "BROKER") != nil {
            let broker = try self.choice.broker.brokerAccess()
            return try await self.options.watch(try await self.choice.chosen(on: broker), on: broker)
        }
        let configuration = try self.configuration.load()
        let broker = try self.choice.broker.brokerAccess(of: configuration)
        var choice = self.choice
        choice.vehicle = choice.vehicle ?? configuration.vehicle.name
        try await self.options.watch(try await choice.chosen(on: broker), on: broker)
    }
}
