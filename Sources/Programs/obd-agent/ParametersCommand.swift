// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Configuration
import Contract
import Drive
import OBD2

struct ParametersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parameters",
        abstract: "Lists the parameters that can be read, and imports those of manufacturers.",
        subcommands: [
            ListCommand.self, ParameterModelsCommand.self, ParameterImportCommand.self, ParameterDetectCommand.self,
        ]
    )

    struct ListCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract:
                "Lists the parameters of the catalog, and the derived and custom parameters of the configuration.",
            discussion: "Needs no vehicle. obd-agent read shows which of them a vehicle supports."
        )

        @OptionGroup var options: ConfigurationOptions

        @Flag(name: .long, help: "Only the custom parameters, and those of [derived.NAME].")
        var custom = false

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        func run() throws {
            // Without the custom parameters of a wrong file the list would be empty, as if there were none.
            if self.custom { _ = try self.options.load() }
            // A title that the user gave, instead of that of the shared words.
            var rows: [(field: Field, request: String, title: String?)] = []
            if !self.custom {
                for parameter in Parameter.catalogue {
                    for field in parameter.fields {
                        rows.append((field, "01\(parameter.pid)", nil))
                    }
                }
                for value in SupplyValue.allCases {
                    rows.append((value.field, "adapter", nil))
                }
            }
            for parameter in try self.derived() {
                rows.append((parameter.field, parameter.ways.first?.formula.text ?? "", parameter.title))
            }
            for parameter in try self.options.custom() {
                rows.append((parameter.field, "\(parameter.source)", parameter.title))
            }
            // The list lacks the parameters of a detected model, and will, if there is nothing to detect it with.
            if let sets = (try? self.options.read()).flatMap(CheckCommand.signalSets), sets.verdict == .warning {
                Output.note("[parameters] catalog: \(sets.text)\(sets.next.map { ". Try: \($0)" } ?? "")")
            }
            if self.json {
                let objects: [JSON] = rows.map { row in
                    [
                        "name": .string(row.field.name), "request": .string(row.request),
                        "unit": row.field.symbol.map { .string($0) } ?? .null,
                        "role": row.field.role.map { .string($0.rawValue) } ?? .null,
                        "title": .string(row.title ?? Words.title(of: row.field.name)),
                    ]
                }
                return try JSONOutput.print(JSON.array(objects))
            }
            var table = TextTable()
            for row in rows {
                let field = row.field
                table.append([
                    field.name, row.request, field.symbol ?? "", field.role?.rawValue ?? "",
                    row.title ?? Words.title(of: field.name),
                ])
            }
            for line in table.lines { Console.print(line) }
        }

        /// Returns the derived parameters to list: all, or those of the configuration's own tables.
        private func derived() throws -> [DerivedParameter] {
            let all = try self.options.derived()
            guard self.custom else { return all }
            let engine = (try? self.options.read())?.vehicle.engine ?? EngineFacts()
            let ready = DerivedParameter.ready(engine)
            return all.filter { !ready.contains($0) }
        }
    }
}
