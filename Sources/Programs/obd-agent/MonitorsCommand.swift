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

struct MonitorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitors",
        abstract: "Reads readiness for an inspection, and the results of the on-board tests.",
        discussion: """
            Example:
              obd-agent monitors --adapter serial:/dev/ttyUSB0
            """
    )

    @OptionGroup var adapter: AdapterOptions

    @Flag(name: .long, help: "Print JSON, as in the topic \"monitors\".")
    var json = false

    func run() async throws {
        try await self.adapter.withVehicle { reader in
            try await reader.readMonitors()
            let mapping = ContractMapping(clock: SystemClock(trustsSystem: true), isImperial: false)
            guard let reading = reader.tests, let report = mapping.monitors(reading.sinceClear, reading) else {
                // Every ECU has told its lamp and its count of codes, and none a monitor; or none has PID 01.
                guard reader.monitors.isEmpty, reader.identity?.mayHaveReadiness ?? true else {
                    throw CommandFailure(
                        .failed,
                        "no ECU has readiness to report, as usual in electric vehicles",
                        next: "obd-agent codes, which reads the warning lamp and the codes."
                    )
                }
                throw CommandFailure(
                    .unavailable,
                    "the readiness of every ECU could not be read",
                    next: "switch the ignition on, and read again."
                )
            }
            guard !self.json else { return try JSONOutput.print(report) }
            for line in MonitorsText(JSONOutput.json(encoding: report)).lines { Console.print(line) }
        }
    }
}

extension VehicleIdentity {
    /// Whether an ECU may report the readiness of its monitors.
    fileprivate var mayHaveReadiness: Bool {
        switch self.dialect {
        case .j1979: self.supports(0x01)
        case .j1979Part2, .j1939: true
        case .manufacturer: false
        }
    }
}
