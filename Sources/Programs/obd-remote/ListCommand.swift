// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Contract
import Remote
import Subscriber

extension ObdRemote {
    /// Lists the vehicles on the broker.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the vehicles on the broker and their state.",
            discussion: """
                Without --all, the names are left out under which agents publish before they have identified their \
                vehicle (agent-...), unless such an agent is online. obd-remote forget removes what is gone.
                """
        )

        @OptionGroup var options: BrokerOptions

        @Flag(name: .shortAndLong, help: "Show outbox, store, clock, signal, battery, budget and problem.")
        var long = false

        @Flag(name: .long, help: "Show the provisional names of agents, too.")
        var all = false

        @Flag(name: .long, help: "Print JSON, with all that --long shows.")
        var json = false

        func run() async throws {
            let broker = try self.options.brokerAccess()
            var fleet = Fleet(broker.topics)
            for message in try await broker.retained(VehiclePicture.paths) { fleet.receive(message) }
            if fleet.ignored > 0 { Output.note("More than \(Fleet.limit) vehicles: the rest is left out.") }
            for vehicles in fleet.vehiclesOfOneAgent { Output.note(Self.warning(of: vehicles)) }
            let vehicles = self.all ? fleet.all : fleet.all.filter { !$0.isProvisional }
            guard !self.json else { return Output.json(.array(vehicles.map(\.json))) }
            guard !vehicles.isEmpty else {
                Output.note(
                    "\(broker.name) shows this client no vehicle below \(broker.topics.prefix)/. Try: --prefix with "
                        + "the agents' [mqtt] topic_prefix, or a user who may read there by the broker's access list."
                )
                return Self.noteLeftOut(fleet.all.count)
            }
            let fleetTable = FleetTable(vehicles, at: .present)
            // The longest state, "waiting, ignition running, not confirmed", keeps the columns behind it in line.
            var table = TextTable(usualLength: 44)
            for row in self.long ? fleetTable.longRows : fleetTable.rows { table.append(row) }
            Output.lines(table.lines)
            Self.noteLeftOut(fleet.all.count - vehicles.count)
            if let note = fleetTable.absenceNote { Output.note(note) }
        }

        /// Tells about provisional names that are not shown.
        private static func noteLeftOut(_ count: Int) {
            guard count > 0 else { return }
            let what = count == 1 ? "a provisional name" : "\(count) provisional names"
            Output.note("Left out: \(what) (agent-...), under which no agent is online. Try: --all")
        }

        /// Returns the warning about vehicles whose agents have one id.
        static func warning(of vehicles: [VehiclePicture]) -> String {
            let names = vehicles.map(\.name).joined(separator: ", ")
            return "\(names) are online with one agent id, \(vehicles.first?.agent ?? ""), so consumers mix up their "
                + "records. Try: give each copied card an /etc/machine-id of its own (docs/tasks/run-a-fleet.md)."
        }
    }
}
