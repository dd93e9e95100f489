// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Contract
import Store

struct FindingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "finding",
        abstract: "Shows the newest finding of a specialist about a vehicle.",
        discussion: """
            Findings come with the command record_finding. The newest one is also published; --all shows the earlier \
            ones too. Needs neither the vehicle nor a running agent.

            Examples:
              obd-agent finding
              obd-agent finding --vehicle ZZZSMVLATR4700893 --all --json
            """
    )

    /// The width of the text.
    private static let columns = 100

    @OptionGroup var recorded: RecordingOptions

    @Flag(name: .long, help: "Show all stored findings, the newest first.")
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
        if findings.isEmpty { Console.print("There is no finding.") }
        for finding in findings {
            Console.print("")
            let issuer = finding.issuer ?? "an unsigned command"
            Console.print("\(finding.time)  \(finding.severity.rawValue), by \(issuer)")
            if !finding.codes.isEmpty { Console.print("  about \(finding.codes.joined(separator: ", "))") }
            for paragraph in finding.text.split(separator: "\n", omittingEmptySubsequences: false) {
                for line in String(paragraph).wrapped(columns: Self.columns) { Console.print("  \(line)") }
            }
        }
    }
}
