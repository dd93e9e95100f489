// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Glibc
import MQTT
import Subscriber

extension ObdRemote {
    /// Removes vehicles that are gone from the broker.
    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget",
            abstract: "Removes vehicles that are gone from the broker.",
            discussion: """
                Empties the vehicles' retained topics, and removes their devices from Home Assistant. It does not reach \
                the machine in the vehicle, where obd-agent forget removes the data, nor the database of collect. An \
                agent that is still there publishes its vehicle again.

                Examples:
                  obd-remote list --all
                  obd-remote forget van-7 agent-0a1b2c3d4e5f --dry-run
                  obd-remote forget van-7 agent-0a1b2c3d4e5f
                """
        )

        @Argument(help: "The vehicles, as obd-remote list --all shows them.")
        var vehicles: [String]

        @OptionGroup var options: BrokerOptions

        @Option(name: .long, help: "The root of Home Assistant's discovery topics.")
        var discoveryPrefix = "homeassistant"

        @Flag(name: .long, help: "Also a vehicle that the broker calls online.")
        var online = false

        @Flag(name: .long, help: "Show what would be removed, and remove nothing.")
        var dryRun = false

        @Flag(name: .long, help: "Do not ask.")
        var yes = false

        func run() async throws {
            guard self.yes || self.dryRun || isatty(0) == 1 else {
                throw CommandFailure(
                    .usage,
                    "the question cannot be asked: standard input is no terminal",
                    next: "--yes"
                )
            }
            let broker = try self.options.brokerAccess()
            var filters: [TopicFilter] = []
            for vehicle in Set(self.vehicles).sorted() {
                let traces = try await Self.traces(of: vehicle, on: broker)
                try self.check(traces)
                let seen = traces.lastSeen?.age(at: .present).map { ", last seen \($0)" } ?? ""
                Console.print("Vehicle   \(vehicle): \(traces.topics.count) topics\(seen)")
                filters += try self.filters(traces, broker.topics)
            }
            for filter in filters { Console.print("Broker    \(filter)") }
            if self.dryRun { return Console.print("Nothing was removed.") }
            guard
                self.yes
                    || Console.isConfirmed(
                        "Type yes to remove this from the broker:",
                        interrupt: { _ in Console.end(saying: "Nothing was removed.") }
                    )
            else {
                throw CommandFailure(.notConfirmed, "nothing was removed")
            }
            let left = try await broker.empty([], and: filters)
            guard left.isEmpty else { throw BrokerAccess.remains(left) }
        }

        private static func traces(of vehicle: String, on broker: BrokerAccess) async throws -> RetainedTraces {
            var traces = RetainedTraces(of: vehicle)
            for message in try await broker.retained(["#"], of: vehicle) where message.retain {
                traces.receive(message, on: broker.topics)
            }
            guard !traces.topics.isEmpty else {
                throw CommandFailure(
                    .noInput,
                    "\(broker.name) shows this client nothing of \"\(vehicle)\" below \(broker.topics.prefix)/",
                    next: "obd-remote list --all, which shows the names."
                )
            }
            return traces
        }

        /// Refuses a vehicle whose agent would publish it again.
        private func check(_ traces: RetainedTraces) throws {
            guard traces.isOnline, !self.online else { return }
            throw CommandFailure(
                .usage,
                "\"\(traces.vehicle)\" is online: its agent would publish it again. Nothing was removed",
                next: "stop the agent first; or --online, if the broker is wrong."
            )
        }

        private func filters(_ traces: RetainedTraces, _ topics: FleetTopics) throws -> [TopicFilter] {
            do {
                return try traces.filters(topics, discovery: try Topic(self.discoveryPrefix))
            } catch {
                throw CommandFailure(.usage, "--discovery-prefix: \(error)")
            }
        }
    }
}
