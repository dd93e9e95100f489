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
            abstract: "Lists the vehicles on the broker and their state."
        )

        @OptionGroup var options: BrokerOptions

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        func run() async throws {
            let broker = try self.options.brokerAccess()
            var fleet = Fleet(broker.topics)
            for message in try await broker.retained(VehiclePicture.paths) { fleet.receive(message) }
            if fleet.ignored > 0 { Output.note("More than \(Fleet.limit) vehicles: the rest is left out.") }
            for vehicles in fleet.vehiclesOfOneAgent { Output.note(Self.warning(of: vehicles)) }
            let vehicles = fleet.vehicles
            guard !self.json else { return Output.json(.array(vehicles.map(\.json))) }
            guard !vehicles.isEmpty else {
                return Output.note(
                    "\(broker.name) shows this client no vehicle below \(broker.topics.prefix)/."
                )
            }
            Output.lines(Self.table(vehicles, at: .present).lines)
        }

        /// Returns the warning about vehicles whose agents have one id.
        static func warning(of vehicles: [VehiclePicture]) -> String {
            let names = vehicles.map(\.name).joined(separator: ", ")
            return "\(names) are online with one agent id, \(vehicles.first?.agent ?? ""), so consumers mix up their "
                + "records. Try: give each copied card an /etc/machine-id of its own (docs/tasks/run-a-fleet.md)."
        }

        static func table(_ vehicles: [VehiclePicture], at now: Timestamp) -> TextTable {
            var table = TextTable()
            table.append(["vehicle", "VIN", "is", "last seen", "state", "codes", "lamp", "adapter", "agent"])
            for vehicle in vehicles {
                let agent = [vehicle.agentVersion, vehicle.isSimulated ? "simulated" : nil].compactMap(\.self)
                table.append([
                    vehicle.name, vehicle.vin == vehicle.name ? "the same" : vehicle.vin ?? "unknown",
                    vehicle.availability?.rawValue ?? "unknown", vehicle.lastSeen?.text(at: now) ?? "never",
                    vehicle.activity, vehicle.codeCount.map { "\($0)" } ?? "unknown",
                    vehicle.mil.map { $0 ? "on" : "off" } ?? "unknown", vehicle.adapter ?? "",
                    agent.joined(separator: ", "),
                ])
            }
            return table
        }
    }
}
