// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Configuration
import Contract
import Store

struct VehiclesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vehicles",
        abstract: "Lists the vehicles that this agent knows, and counts their records.",
        discussion: """
            A vehicle is known once it was connected. The last connected one is at the end. A record of samples covers \
            [uplink] batch_seconds. Needs neither the vehicle nor a running agent.

            Examples:
              obd-agent vehicles
              obd-agent vehicles --json
            """
    )

    @OptionGroup var recorded: RecordingDirectory

    @Flag(name: .long, help: "Print JSON.")
    var json = false

    func run() throws {
        let recording = try self.recorded.open()
        do {
            let holdings = try recording.holdings()
            if self.json {
                try JSONOutput.print(JSON.array(holdings.map(Self.json)))
            } else {
                Self.printTable(holdings)
            }
        } catch let error as StoreError {
            throw CommandFailure(.noInput, "\(error)")
        }
    }

    private static func json(_ holding: Recording.Holding) -> JSON {
        [
            "vehicle": .string(holding.vehicle.name),
            "vin": holding.vehicle.vin.map { .string($0) } ?? .null,
            "last_seen": .string(holding.lastSeen.description),
            "clock": .string(holding.clock.rawValue),
            "telemetry": .integer(holding.batches),
            "events": .integer(holding.events),
            "findings": .integer(holding.findings),
        ]
    }

    private static func printTable(_ holdings: [Recording.Holding]) {
        guard !holdings.isEmpty else { return Console.print("No vehicle has been connected yet.") }
        var table = TextTable()
        table.append(["vehicle", "VIN", "last seen", "records of samples", "events", "findings"])
        for holding in holdings {
            let vehicle = holding.vehicle
            let isDoubtful = holding.clock == .unsynchronised
            table.append([
                vehicle.name, vehicle.vin == vehicle.name ? "the same" : vehicle.vin ?? "not kept",
                holding.lastSeen.description + (isDoubtful ? " ?" : ""), "\(holding.batches)", "\(holding.events)",
                "\(holding.findings)",
            ])
        }
        table.lines.forEach { Console.print($0) }
        if holdings.contains(where: { $0.clock == .unsynchronised }) {
            Console.print("A time with ? is from an unsynchronized clock.")
        }
    }
}
