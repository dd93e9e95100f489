// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Configuration
import Contract
import Diagnosis
import ELM327
import EventLoop
import Session

struct AdapterReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adapter",
        abstract: "Tests each capability of the adapter, and prints a report for a bug.",
        discussion: """
            Needs a vehicle with its ignition on. Changes nothing in it, and leaves the adapter as it was. The report \
            does not identify the vehicle. If the adapter is not understood, it has the bytes that were sent to it, and \
            those that came.

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
        let address = try self.adapter.chosen().address
        if case .can(let name) = address {
            throw CommandFailure(
                .usage,
                "\(name) is a CAN interface, so there is no adapter to examine",
                next: "obd-agent measure, which times its answers; ip -details link show \(name)."
            )
        }
        let dialogue = Locked(DialogueExtract())
        let recorder = TranscriptRecorder(clock: BootClock()) { entry in dialogue.withLock { $0.record(entry) } }
        try await self.adapter.withVehicle(recorder: recorder) { report in
            var facts = AdapterFacts(report, hasVehicle: false)
            facts.dialogue = dialogue.withLock { $0.lines }
            try self.print(facts)
        } _: { reader in
            guard let report = reader.report else { throw SessionError.notConnected }
            var facts = AdapterFacts(report, hasVehicle: true)
            // A failed test must not lose the results before it.
            let failure = await Self.failure { try await self.examine(reader, &facts) }
            if let report = reader.report { facts.report = report }
            if failure != nil { facts.dialogue = dialogue.withLock { $0.lines } }
            try self.print(facts)
            if let failure { throw failure }
        }
    }

    private func examine(_ reader: DirectReader, _ facts: inout AdapterFacts) async throws {
        try await reader.readCodes()
        if let report = reader.report { facts.report = report }
        if reader.canTryAdapter {
            facts.roundTrip = try await reader.measureRequests(Self.timedRequests).sorted()[Self.timedRequests / 2]
        }
        for command in AdapterCommand.identification {
            facts.texts.append((command.line, try await reader.reply(to: command)))
        }
        for (command, version) in AdapterCommand.versions {
            facts.versions.append((version, command.line, try await reader.reply(to: command)))
        }
        if reader.canTryAdapter { try await reader.tryAdapter() }
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
