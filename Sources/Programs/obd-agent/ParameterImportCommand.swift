// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Configuration
import OBD2
import SignalSets

struct ParameterImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Makes custom parameters from a signal set of the OBDb project, or from a DBC file.",
        discussion: """
            Prints what was imported and what was left out, with the reason. In the configuration \
            [parameters] sets = ["..."] names the resulting file. A model's set comes from a local catalog, \
            whose models "obd-agent parameters models" lists. With --year, signals of other model years are left out.

            A DBC file describes the frames that the nodes of a CAN bus send by themselves. The agent receives them from \
            a CAN interface ([adapter] address = "can:can0"), and sends nothing for them.

            Examples:
              obd-agent parameters import --model "Kia EV6" --year 2023 --output /etc/obd-agent/sets/kia-ev6.toml
              obd-agent parameters import signalsets/v3/default.json --output /etc/obd-agent/sets/van.toml
              obd-agent parameters import car.dbc --frame EngineData --frame 1A0 --output /etc/obd-agent/sets/car.toml
            """
    )

    @Argument(
        help: "The signal set: a JSON file of OBDb, signalsets/v3, or a DBC file; not with --model.",
        completion: .file()
    )
    var file: String?

    @Option(name: .long, help: "The model whose set the catalog has, in any spelling, such as \"Kia EV6\".")
    var model: String?

    @OptionGroup var options: CatalogOptions

    @Option(
        name: .shortAndLong,
        help: "The file of the result, a regular one: no link, device or FIFO (default, and -: standard output).",
        completion: .file()
    )
    var output: String?

    @Flag(name: .long, help: "Replace an existing regular file, also one that was edited by hand.")
    var force = false

    @Option(name: .long, help: "A frame of a DBC file, by name or identifier; can stand several times (default: all).")
    var frame: [String] = []

    @OptionGroup var modelYear: ModelYearOption

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
        // A file that cannot be written is found before all the lines are printed.
        if file.isDBC { return try self.importFrames(of: file) }
        guard self.frame.isEmpty else {
            throw CommandFailure(.usage, "--frame is for DBC files only, and \(file.source) is a signal set")
        }
        let set = try file.set(year: self.modelYear.year)
        let output = try self.open()
        if let remark = file.remark { Console.printError("Note: \(remark)") }
        // Standard output may have the set itself.
        for line in ImportReport.lines(of: set) { Console.printError(line) }
        guard !set.imported.isEmpty else { throw file.failure(year: self.modelYear.year) }
        let text = set.toml(
            source: file.source,
            repository: file.repository,
            remark: file.remark,
            isSelected: self.select
        )
        let proposed = set.proposed.map { "\($0.name) = 10" + ($0.roleText.map { "   # \($0)" } ?? "") }
        try self.write(text, to: output, proposed, of: set.imported.count)
    }

    private func importFrames(of file: SignalSetFile) throws {
        let signals = try file.frames(self.frame)
        if let name = signals.missing.first {
            let similar = Spelling.closest(to: name, in: signals.frameNames).map { [$0] }
            throw CommandFailure(
                .noInput,
                "\(file.source): there is no frame \(Printable.text(name))",
                next: "one of: " + (similar ?? Array(signals.frameNames.prefix(20))).joined(separator: ", ") + "."
            )
        }
        let output = try self.open()
        for line in ImportReport.lines(of: signals) { Console.printError(line) }
        guard !signals.imported.isEmpty else {
            throw CommandFailure(
                .noInput,
                "\(file.source): no signal in it can be received",
                next: "another file or --frame; the lines above have the reason for each signal."
            )
        }
        let text = signals.toml(source: file.source, isSelected: self.select)
        let proposed = signals.imported.prefix(1).map { "\($0.name) = \(DBCImport.interval)" }
        try self.write(text, to: output, proposed, of: signals.imported.count)
    }

    /// Writes the result, and tells the next step.
    ///
    /// - Parameters:
    ///   - output: the file; nil for standard output.
    ///   - proposed: the lines that select the parameters of most use.
    private func write(_ text: String, to output: OutputFile?, _ proposed: [String], of count: Int) throws {
        guard let output, let path = self.output else {
            return text.dropLast().split(separator: "\n", omittingEmptySubsequences: false)
                .forEach { Console.print(String($0)) }
        }
        try output.write(text)
        try output.close()
        Console.printError("Written to \(path). Next, in a file such as /etc/obd-agent/agent.toml.d/car.toml:")
        Console.printError("  [parameters]")
        Console.printError("  sets = [\"\(OutputFile.absolutePath(of: path))\"]")
        guard !self.select else { return }
        let usual = Configuration.defaultParameters.map(\.key.name).joined(separator: ", ")
        Console.printError("  # A selection replaces the default one: add those that you want, too, of")
        Console.printError("  # \(usual).")
        for line in proposed { Console.printError("  \(line)") }
        if count > proposed.count {
            Console.printError("  # and any other of the \(count) parameters, each with its seconds")
        }
    }

    /// Opens the file of the result, which may have been edited by hand if it exists; nil for standard output.
    private func open() throws -> OutputFile? {
        guard let path = self.output, OutputFile.isFile(path) else { return nil }
        return try OutputFile(
            path,
            replacing: self.force,
            isPublic: true,
            remedy: "--force, which replaces it, or another --output."
        )
    }
}
