// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Contract
import Subscriber

extension ObdRemote {
    /// Reads parameters now.
    struct Read: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "read",
            abstract: "Reads parameters now, selected or not."
        )

        @OptionGroup var options: CommandOptions

        @OptionGroup var parameters: ParameterOptions

        @Argument(
            help: "Names such as engine_speed, or 010C, also separated by commas.",
            completion: ParameterOptions.completion
        )
        var names: [String]

        func validate() throws { _ = try ParameterOptions.chosen(self.names) }

        func run() async throws {
            let (names, list) = try ParameterOptions.chosen(self.names)
            try await self.options.perform("read_parameters", ["parameters": list], onlyReads: true) { vehicle in
                try await self.parameters.check(names, of: vehicle)
            } print: { result in
                var table = TextTable()
                for (series, value) in result["values"].members {
                    let quality = value["quality"].string.flatMap { $0 == "good" ? nil : $0 }
                    table.append([series, value.words, value["unit"].string ?? "", value["ecu"].shown, quality ?? ""])
                }
                return table.lines + result["missing"].elements.map { "No ECU answers \($0.shown)." }
            }
        }
    }
}
