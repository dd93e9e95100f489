// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Configuration
import Contract
import Glibc
import OBD2
import SignalSets

struct ParametersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parameters",
        abstract: "Lists the parameters that can be read, and imports those of manufacturers.",
        subcommands: [
            ListCommand.self, ParameterModelsCommand.self, ImportCommand.self, ParameterDetectCommand.self,
        ]
    )

    struct ListCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the parameters of the catalog and the custom parameters of the configuration.",
            discussion: "Needs no vehicle. obd-agent read shows which of them a vehicle supports."
        )

        @OptionGroup var options: ConfigurationOptions

        @Flag(name: .long, help: "Only the custom parameters.")
        var custom = false

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        func run() throws {
            var rows: [(field: Field, request: String, title: String?)] = []
            if !self.custom {
                for parameter in Parameter.catalogue {
                    for field in parameter.fields {
                        rows.append((field, "01\(parameter.pid)", parameter.title))
                    }
                }
                for value in SupplyValue.allCases {
                    rows.append((value.field, "adapter", value.title))
                }
            }
            for parameter in try self.options.custom() {
                rows.append((parameter.field, "\(parameter.request)", parameter.title))
            }
            if self.json {
                let objects: [JSON] = rows.map { row in
                    [
                        "name": .string(row.field.name), "request": .string(row.request),
                        "unit": row.field.symbol.map { .string($0) } ?? .null,
                        "role": row.field.role.map { .string($0.rawValue) } ?? .null,
                        "title": row.title.map { .string($0) } ?? .null,
                    ]
                }
                return try JSONOutput.print(JSON.array(objects))
            }
            var table = TextTable()
            for row in rows {
                let field = row.field
                table.append([
                    field.name, row.request, field.symbol ?? "", field.role?.rawValue ?? "", row.title ?? "",
                ])
            }
            for line in table.lines { Console.print(line) }
        }
    }

    struct ImportCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Makes custom parameters from a signal set of the OBDb project.",
            discussion: """
                Prints what was imported and what was left out, with the reason. In the configuration \
                [parameters] sets = ["..."] names the resulting file. A model's set comes from a local catalog, \
                whose models "obd-agent parameters models" lists.

                Examples:
                  obd-agent parameters import --model "Kia EV6" --year 2023 --output /etc/obd-agent/sets/ev6.toml
                  obd-agent parameters import signalsets/v3/default.json --output /etc/obd-agent/sets/van.toml
                """
        )

        @Argument(help: "The signal set: a JSON file of OBDb, signalsets/v3; not with --model.")
        var file: String?

        @Option(name: .long, help: "The model whose set the catalog has, in any spelling, such as \"Kia EV6\".")
        var model: String?

        @OptionGroup var options: CatalogOptions

        @Option(name: .shortAndLong, help: "The file of the result (default: standard output).")
        var output: String?

        @Option(name: .long, help: "The model year; signals of other years are left out.")
        var year: Int?

        @Flag(name: .long, help: "Poll all of them, at the intervals of the set. Without it [parameters] selects.")
        var select = false

        func validate() throws {
            guard (self.file == nil) != (self.model == nil) else {
                throw ValidationError("Name a file, or a model with --model, and not both.")
            }
        }

        func run() throws {
            let file =
                if let model = self.model {
                    try SignalSetFile(model: model, in: try self.options.open())
                } else {
                    try SignalSetFile(path: self.file ?? "")
                }
            let set: SignalSetImport
            do {
                set = try SignalSetImport(file.bytes, year: self.year)
            } catch {
                throw CommandFailure(.noInput, "\(file.source): \(error)")
            }
            if let remark = file.remark { Console.printError("Note: \(remark)") }
            // Standard output may have the set itself.
            for line in ImportReport(set: set).lines { Console.printError(line) }
            guard !set.imported.isEmpty else {
                throw CommandFailure(
                    .noInput,
                    "\(file.source): no signal in it can be polled",
                    next: "another --year or another file; the lines above have the reason for each signal."
                )
            }
            let text = set.toml(
                source: file.source,
                repository: file.repository,
                remark: file.remark,
                isSelected: self.select
            )
            guard let output = self.output else {
                return text.dropLast().split(separator: "\n", omittingEmptySubsequences: false)
                    .forEach { Console.print(String($0)) }
            }
            guard OutputFile.write(text, to: output) else {
                let reason = unsafe String(cString: strerror(errno))
                throw CommandFailure(.cannotCreate, "\(output) can't be written: \(reason)", next: "another --output.")
            }
            Console.printError("Written to \(output). Next, in the configuration:")
            Console.printError("  [parameters]")
            Console.printError("  sets = [\"\(OutputFile.absolutePath(of: output))\"]")
            if !self.select, let first = set.imported.first {
                Console.printError("  \(first.name) = 10   # and other parameters, with their seconds")
            }
        }
    }
}
