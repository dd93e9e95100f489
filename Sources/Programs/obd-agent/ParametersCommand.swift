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
        subcommands: [ListCommand.self, ImportCommand.self]
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
                [parameters] sets = ["..."] names the resulting file.

                Example:
                  obd-agent parameters import signalsets/v3/default.json --output /etc/obd-agent/sets/van.toml
                """
        )

        @Argument(help: "The signal set: a JSON file of OBDb, signalsets/v3.")
        var file: String

        @Option(name: .shortAndLong, help: "The file of the result (default: standard output).")
        var output: String?

        @Option(name: .long, help: "The model year; signals of other years are left out.")
        var year: Int?

        @Flag(name: .long, help: "Poll all of them, at the intervals of the set. Without it [parameters] selects.")
        var select = false

        func run() throws {
            let bytes: [UInt8]
            let set: SignalSetImport
            do {
                bytes = try Configuration.contents(of: self.file, limit: SignalSetImport.sizeLimit)
                set = try SignalSetImport(bytes, year: self.year)
            } catch let error as SignalSetError {
                throw CommandFailure(.noInput, "\(self.file): \(error)")
            } catch {
                throw CommandFailure(.noInput, "\(error)")
            }
            self.report(set)
            guard !set.imported.isEmpty else {
                throw CommandFailure(
                    .noInput,
                    "\(self.file): no signal in it can be polled",
                    next: "another --year or another file; the lines above have the reason for each signal."
                )
            }
            let text = set.toml(source: self.file, isSelected: self.select)
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
            Console.printError("  sets = [\"\(output)\"]")
            if !self.select, let first = set.imported.first {
                Console.printError("  \(first.name) = 10   # and other parameters, with their seconds")
            }
        }

        /// Prints the report on standard error, because standard output may have the set itself.
        private func report(_ set: SignalSetImport) {
            var imported = TextTable()
            for entry in set.imported {
                imported.append([entry.name, entry.request, entry.unit ?? "", entry.roleText ?? "", entry.formula])
            }
            for line in imported.lines { Console.printError(line) }
            if !set.skipped.isEmpty {
                Console.printError("")
                Console.printError("Left out:")
                var skipped = TextTable()
                for entry in set.skipped { skipped.append([entry.name, entry.reason]) }
                for line in skipped.lines { Console.printError(line) }
            }
            for note in set.notes {
                Console.printError("")
                Console.printError("Note: \(note)")
            }
            Console.printError("")
            Console.printError("\(set.imported.count) imported, \(set.skipped.count) left out")
        }
    }
}
