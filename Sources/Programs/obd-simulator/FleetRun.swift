// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import Base
import CommandLine
import Configuration
import Logging
import UnixSignals

/// Runs `obd-simulator --fleet`: many agents, until SIGTERM or SIGINT.
struct FleetRun {
    private let numbers: ClosedRange<Int>
    private let configuration: Configuration

    init(of count: Int, from first: Int, _ options: ConfigurationOptions) throws {
        guard 1...SimulatedFleet.limit ~= count else {
            let range = "--fleet must be 1 to \(SimulatedFleet.limit)"
            throw CommandFailure(.usage, range, next: "more processes, each with its --first.")
        }
        let last = SimulatedFleet.lastNumber - count + 1
        guard 1...last ~= first else { throw CommandFailure(.usage, "--first must be 1 to \(last)") }
        self.numbers = first...first + count - 1
        self.configuration = try options.load()
        guard !self.configuration.mqtt.servers.isEmpty else {
            throw CommandFailure(
                .configuration,
                "\(options.config) names no broker, without which nobody sees a fleet",
                next: "[mqtt] url = \"mqtt://localhost\"."
            )
        }
    }

    func run() async throws {
        LoggingSystem.bootstrap { _ in FleetLogHandler() }
        let fleet: SimulatedFleet
        do {
            fleet = try await SimulatedFleet(of: self.numbers, self.configuration, logger: Logger(label: "obd-agent"))
        } catch {
            throw CommandFailure(.configuration, "\(error)")
        }
        let count = self.numbers.count
        let seconds = (count + SimulatedFleet.startRate - 1) / SimulatedFleet.startRate
        Console.print("\(count) vehicles start within \(seconds) s. Ctrl-C ends them.")
        try StandardOutput.check()
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        await withTaskGroup { group in
            group.addTask { await fleet.run { Console.print("\($0)") } }
            group.addTask { for await _ in signals { break } }
            await group.next()
            group.cancelAll()
        }
    }
}
