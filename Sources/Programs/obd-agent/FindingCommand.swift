// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import Agent
import ArgumentParser
import Contract
import Store

struct FindingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "finding",
        abstract: "Shows what a specialist has found out about a vehicle.",
        discussion: """
            Needs neither the vehicle nor a running agent. The newest finding is shown, which is also the one that is \
            published; --all shows those before it too. They come with the command record_finding.

            Examples:
              obd-agent finding
              obd-agent finding --vehicle ZZZSMVLATR4700893 --all --json
            """
    )

    /// How long lines of text are.
    private static let columns = 100

    @OptionGroup var recorded: RecordingOptions

    @Flag(name: .long, help: "Show all that are kept, the newest first.")
    var all = false

    @Flag(name: .long, help: "Print JSON.")
    var json = false

    func run() throws {
        let recording = try self.recorded.open()
        let vehicle = try self.recorded.chosen(in: recording)
        let kept: [Finding]
        do { kept = try recording.findings(of: vehicle.name) } catch { throw CommandFailure(.noInput, "\(error)") }
        let findings = Array(kept.reversed().prefix(self.all ? .max : 1))
        guard self.json else { return Self.printText(findings, of: vehicle) }
        try JSONOutput.print(
            [
                "vehicle": .string(vehicle.name), "vin": vehicle.vin.map { .string($0) } ?? .null,
                "findings": .array(findings.map(\.json)),
            ] as JSON
        )
    }

    private static func printText(_ findings: [Finding], of vehicle: Recording.Vehicle) {
        Console.print("Vehicle   \(vehicle.vin ?? vehicle.name)")
        if findings.isEmpty { Console.print("Nobody has recorded a finding about it.") }
        for finding in findings {
            Console.print("")
            let issuer = finding.issuer ?? "somebody who did not sign it"
            Console.print("\(finding.time)  \(finding.severity.rawValue), by \(issuer)")
            if !finding.codes.isEmpty { Console.print("  about \(finding.codes.joined(separator: ", "))") }
            for paragraph in finding.text.split(separator: "\n", omittingEmptySubsequences: false) {
                for line in Text.wrapped(String(paragraph), columns: Self.columns) { Console.print("  \(line)") }
            }
        }
    }
}
