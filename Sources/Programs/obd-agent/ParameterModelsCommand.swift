// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import SignalSets

struct ParameterModelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "models",
        abstract: "Lists the makes and models whose signal sets a local catalog has.",
        discussion: """
            Without words, each make has a line. With words, each model whose name contains all of them has one, with \
            its requests and signals. A model without requests of its own is imported with the set of its make.

            Examples:
              obd-agent parameters models
              obd-agent parameters models kia ev
            """
    )

    @Argument(help: "The words that a model's name contains, such as a make.")
    var words: [String] = []

    @OptionGroup var options: CatalogOptions

    @Flag(name: .long, help: "Count requests and signals even without words; this reads every set.")
    var counts = false

    @Flag(name: .long, help: "Print JSON.")
    var json = false

    func run() throws {
        let local = try self.options.open()
        let entries = local.catalog.entries(matching: self.words)
        guard !entries.isEmpty else {
            let text = self.words.joined(separator: " ")
            let similar = SignalSetFile.titles(local.catalog.suggestions(for: text))
            let make = local.catalog.make(like: text).map { "\"\($0)\"" }
            let near = similar.isEmpty ? make : similar
            throw CommandFailure(
                .noInput,
                "no model matches \"\(text)\"" + (near.map { "; did you mean \($0)?" } ?? ""),
                next: "fewer words; without words, all makes are listed. \(SignalSetFile.missingSet)"
            )
        }
        let isCounted = self.counts || !self.words.isEmpty
        let counts = isCounted ? local.read(entries, SignalCatalog.counts(of:)) : nil
        // A list of makes reads no set as a whole.
        let readable = counts.map { Set($0.keys) } ?? Self.likelySets(entries, in: local)
        let unreadable = entries.filter { !readable.contains($0) }
        if self.json {
            try JSONOutput.print(JSON.array(entries.map { Self.json($0, counts) }))
        } else {
            let lines =
                counts.map { Self.models(entries, $0, in: local) } ?? Self.makes(entries.filter(readable.contains))
            for line in lines { Console.print(line) }
            for source in local.sources { Self.report(source) }
        }
        guard !unreadable.isEmpty else { return }
        let problem = unreadable.count == 1 ? unreadable.first.flatMap(local.problem) : nil
        throw CommandFailure(
            .noInput,
            "\(unreadable.count.counted("signal set")) can't be read: "
                + Self.list(unreadable.map { "\($0.place)" }) + (problem.map { ": \($0)" } ?? ""),
            next: "the files again from their repositories, or a catalog without them."
        )
    }

    private static func likelySets(
        _ entries: [SignalCatalog.Entry],
        in local: LocalCatalog
    ) -> Set<SignalCatalog.Entry> {
        Set(local.read(entries) { SignalCatalog.mayBeSet($0) ? true : nil }.keys)
    }

    private static func report(_ source: LocalCatalog.Source) {
        let count = source.count.map { $0.counted("set") } ?? source.problem ?? "not there"
        Console.printError("\(source.path): \(count)")
        guard !source.skipped.isEmpty else { return }
        Console.printError("\(source.path): left out, because they are no regular files: \(Self.list(source.skipped))")
    }

    /// Returns the first names of a list, with the number of the others.
    private static func list(_ names: [String]) -> String {
        let first = names.prefix(5).joined(separator: ", ")
        return names.count > 5 ? "\(first) and \(names.count - 5) more" : first
    }

    /// The numbers of commands and signals of sets.
    private typealias Counts = [SignalCatalog.Entry: (commands: Int, signals: Int)]

    private static func json(_ entry: SignalCatalog.Entry, _ counts: Counts?) -> JSON {
        var members: [String: JSON] = [
            "name": .string(entry.name), "make": .string(entry.make),
            "model": entry.model.map { .string($0) } ?? .null, "set": .string("\(entry.place)"),
        ]
        if let counts {
            members["commands"] = counts[entry].map { .integer(Int64($0.commands)) } ?? .null
            members["signals"] = counts[entry].map { .integer(Int64($0.signals)) } ?? .null
        }
        return .object(members)
    }

    private static func makes(_ entries: [SignalCatalog.Entry]) -> [String] {
        var table = TextTable()
        var rest = entries[...]
        while let make = rest.first?.make {
            let models = rest.prefix { $0.make == make }
            rest = rest.dropFirst(models.count)
            let names = models.compactMap(\.model).joined(separator: ", ")
            table.append([make, "\(models.count { $0.model != nil })", names])
        }
        return table.lines
    }

    private static func models(
        _ entries: [SignalCatalog.Entry],
        _ counts: Counts,
        in local: LocalCatalog
    ) -> [String] {
        var table = TextTable()
        for entry in entries {
            let text =
                switch counts[entry] {
                case nil: "can't be read: \(local.problem(with: entry) ?? "it has changed meanwhile")"
                case let counts? where counts.commands == 0 && entry.model != nil: "the set of its make"
                case let counts?: "\(counts.commands.counted("request")), \(counts.signals.counted("signal"))"
                }
            table.append([entry.title, text])
        }
        return table.lines
    }
}
