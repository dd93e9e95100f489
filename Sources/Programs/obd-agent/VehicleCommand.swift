// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Contract
import EventLoop
import OBD2
import Session

struct VehicleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vehicle",
        abstract: "Reads the vehicle's identity: VIN, ECUs, calibrations, and how often its monitors have run.",
        discussion: """
            Example:
              obd-agent vehicle --adapter serial:/dev/ttyUSB0
            """
    )

    @OptionGroup var adapter: AdapterOptions

    @Flag(name: .long, help: "Print JSON, as in the topic \"vehicle\".")
    var json = false

    func run() async throws {
        try await self.adapter.withVehicle { reader in
            try await reader.readInformation()
            guard let identity = reader.identity else {
                throw CommandFailure(
                    .unavailable,
                    "no vehicle answers",
                    next: "switch the ignition on, and push the adapter in firmly."
                )
            }
            let mapping = ContractMapping(clock: SystemClock(trustsSystem: true), isImperial: false)
            let report = mapping.vehicle(identity, Selection(intervals: [:]), unsupported: [])
            guard !self.json else { return try JSONOutput.print(report) }
            for line in VehicleText(JSONOutput.json(encoding: report)).lines { Console.print(line) }
        }
    }
}
