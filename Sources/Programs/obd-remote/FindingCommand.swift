// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Contract
import OBD2
import Remote
import Subscriber

extension ObdRemote {
    /// Records a finding about a vehicle, or shows the last one.
    struct Finding: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "finding",
            abstract: "Records a finding about a vehicle. Without a text, shows the last finding.",
            discussion: """
                A finding is kept with the vehicle, and published where its driver or owner sees it.

                Example:
                  obd-remote finding "Coil of cylinder 1: replace it." --codes P0301 --severity attention
                """
        )

        /// The urgency of a finding.
        enum Severity: String, CaseIterable, ExpressibleByArgument {
            case info, attention, urgent
        }

        @OptionGroup var options: CommandOptions

        @Argument(help: "The finding, at most 4000 characters.")
        var text: String?

        @Option(name: .long, help: "The codes that the finding is about, separated by commas.")
        var codes: String?

        @Option(name: .long, help: "The urgency of the finding.")
        var severity: Severity?

        func validate() throws {
            guard let text = self.text else {
                guard self.codes != nil || self.severity != nil else { return }
                throw ValidationError("--codes and --severity need the text of a finding")
            }
            guard 1...CommandLimits.findingText ~= text.unicodeScalars.count else {
                throw ValidationError("the text must have 1 to \(CommandLimits.findingText) characters")
            }
            let codes = (self.codes ?? "").split(separator: ",")
            guard codes.count <= CommandLimits.findingCodes else {
                throw ValidationError("--codes has \(codes.count) codes, more than \(CommandLimits.findingCodes)")
            }
            if let code = codes.first(where: { TroubleCode(String($0)) == nil }) {
                throw ValidationError("--codes: \"\(code)\" is no code. Try: a code such as P0301")
            }
        }

        func run() async throws {
            guard let text = self.text else { return try await self.showLast() }
            var arguments: [String: JSON] = ["text": .string(text)]
            arguments["codes"] = self.codes.map { codes in
                .array(codes.split(separator: ",").map { .string(String($0)) })
            }
            arguments["severity"] = self.severity.map { .string($0.rawValue) }
            try await self.options.perform("record_finding", arguments, print: Self.lines)
        }

        private func showLast() async throws {
            let broker = try self.options.choice.broker.brokerAccess()
            let vehicle = try await self.options.choice.known(on: broker)
            let payload = try await broker.retained(["finding"], of: vehicle).last?.payload ?? []
            guard !payload.isEmpty else { return Output.note("There is no finding about \(vehicle).") }
            let finding = JSON(payload: payload)
            if self.options.json { Output.json(finding) } else { Output.lines(Self.lines(finding)) }
        }

        private static func lines(_ finding: JSON) -> [String] {
            let issuer = finding["issuer"].string ?? "an unsigned command"
            let codes = finding["codes"].elements.map(\.shown).joined(separator: ", ")
            let time = finding["time"].time?.text(at: .present) ?? Timestamp.unknownText
            return ["\(time), \(finding["severity"].shown), by \(issuer)"]
                + (codes.isEmpty ? [] : ["  about \(codes)"])
                + (finding["text"].string ?? "").split(separator: "\n", omittingEmptySubsequences: false)
                .flatMap { String($0).wrapped(columns: 78) }.map { "  \($0)" }
        }
    }
}
