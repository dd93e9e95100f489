// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Contract
import Remote
import Subscriber

extension ObdRemote {
    /// Reads parameters now.
    struct Read: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "read",
            abstract: "Reads parameters now, selected or not."
        )

        @OptionGroup var options: CommandOptions

        @Argument(help: "Names such as engine_speed, or 010C, also separated by commas.")
        var names: [String]

        func run() async throws {
            let names = self.names.flatMap { $0.split(separator: ",") }
            let arguments = ["parameters": JSON.array(names.map { .string(String($0)) })]
            try await self.options.perform("read_parameters", arguments) { result in
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
