// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CommandLine
import Agent
import ArgumentParser
import Configuration
import Subscriber

/// This machine's vehicle on this terminal, by way of its own broker.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows this machine's vehicle live: a dashboard on a terminal, else a line for each change.",
        discussion: """
            It takes broker, name and password from the configuration of the agent here; --broker or OBD_AGENT_BROKER \
            names another broker, as with "obd-remote watch". The name must be allowed to read there.

            Keys: q ends, p chooses parameters (space shows or hides one), arrows scroll, l draws anew. NO_COLOR is \
            respected.
            """
    )

    @OptionGroup var choice: VehicleChoice
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var options: WatchOptions

    func run() async throws {
        if BrokerOptions.value(self.choice.broker.broker, "BROKER") != nil {
            let broker = try self.choice.broker.remoteBroker()
            return try await self.options.watch(try await self.choice.chosen(on: broker), on: broker)
        }
        let configuration = try self.configuration.load()
        let broker = try self.choice.broker.remoteBroker(of: configuration)
        var choice = self.choice
        choice.vehicle = choice.vehicle ?? configuration.vehicle.name
        try await self.options.watch(try await choice.chosen(on: broker), on: broker)
    }
}
