// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Contract
import Session

struct VehicleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vehicle",
        abstract: "Reads who the vehicle is: VIN, ECUs, calibrations, and how often its monitors have run.",
        discussion: """
            Example:
              obd-agent vehicle --adapter serial:/dev/ttyUSB0
            """
    )

    @OptionGroup var adapter: AdapterOptions

    @Flag(name: .long, help: "Print JSON, as it stands in the topic \"vehicle\".")
    var json = false

    func run() async throws {
        try await self.adapter.withVehicle { reader in
            try await reader.readInformation()
            guard let identity = reader.identity else { throw CommandFailure(.unavailable, "no vehicle answers") }
            let mapping = ContractMapping(clock: SystemClock(trustsSystem: true), isImperial: false)
            let report = mapping.vehicle(identity, Selection(intervals: [:]), unsupported: [])
            if self.json { try JSONOutput.print(report) } else { self.printTable(report) }
        }
    }

    private func printTable(_ report: VehicleReport) {
        Console.print("Vehicle  \(report.vin ?? "tells no VIN")")
        Console.print("Bus      \(report.protocol)")
        for ecu in report.ecus {
            Console.print("")
            Console.print("ECU      \(ecu.ecu) \(ecu.name ?? "")")
            var table = Table()
            func row(_ name: String, _ texts: [String]) {
                if !texts.isEmpty { table.append(["  \(name)", texts.joined(separator: " ")]) }
            }
            row("calibrations", ecu.calibrationIDs)
            row("verification numbers", ecu.calibrationVerificationNumbers)
            row("engine", [ecu.engineSerialNumber].compactMap(\.self))
            row("type approval", [ecu.typeApprovalNumber].compactMap(\.self))
            row("parameters", ["\(ecu.supported.count)"])
            row("could not be read", ecu.unread)
            if let performance = ecu.inUsePerformance {
                row("ignition cycles", ["\(performance.ignitionCycles)"])
                row("monitoring conditions", ["\(performance.monitoringConditions)"])
                for (monitor, counts) in performance.monitors.sorted(by: { $0.key < $1.key }) {
                    row(monitor, ["\(counts.completions) of \(counts.conditions)"])
                }
            }
            for line in table.lines { Console.print(line) }
        }
    }
}
