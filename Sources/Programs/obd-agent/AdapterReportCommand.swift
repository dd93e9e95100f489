// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Contract
import ELM327
import Session

struct AdapterReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adapter",
        abstract: "Tests each capability of the adapter, and prints a report for a bug.",
        discussion: """
            Needs a vehicle with its ignition on. Changes nothing in it, and leaves the adapter as it was. The report \
            does not identify the vehicle.

            Example:
              obd-agent adapter --adapter tcp:192.168.0.10:35000 > report.txt
            """
    )

    @OptionGroup var adapter: AdapterOptions

    @Flag(name: .long, help: "Print JSON.")
    var json = false

    /// The number of timed requests.
    private static let timedRequests = 20

    func run() async throws {
        try await self.adapter.withVehicle { report in
            try self.print(AdapterFacts(report, hasVehicle: false))
        } _: { reader in
            try await reader.readCodes()
            guard let report = reader.report else { throw SessionError.notConnected }
            var facts = AdapterFacts(report, hasVehicle: true)
            if reader.canTryAdapter {
                facts.roundTrip = try await reader.measureRequests(Self.timedRequests).sorted()[Self.timedRequests / 2]
            }
            for command in AdapterCommand.identification {
                facts.texts.append((command.line, try await reader.reply(to: command)))
            }
            for (command, version) in AdapterCommand.versions {
                facts.versions.append((version, command.line, try await reader.reply(to: command)))
            }
            // A failed test must not lose the results before it.
            let failure = reader.canTryAdapter ? await Self.failure { try await reader.tryAdapter() } : nil
            if let report = reader.report { facts.report = report }
            try self.print(facts)
            if let failure { throw failure }
        }
    }

    private static func failure(_ body: () async throws -> Void) async -> (any Error)? {
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    private func print(_ facts: AdapterFacts) throws {
        if self.json {
            try JSONOutput.print(facts.json)
        } else {
            for line in facts.lines { Console.print(line) }
        }
    }
}
