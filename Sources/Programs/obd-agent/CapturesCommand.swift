// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Contract
import EventLoop
import OBD2
import Store

struct CapturesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "captures",
        abstract: "Lists what was captured around a code or another occasion, and writes a capture as a table.",
        discussion: """
            A capture has everything that was read in the 60 s before its moment at the full rate, and what was read \
            after it. Works with and without a running agent. Times are UTC, and numbers are metric.

            Examples:
              obd-agent captures
              obd-agent captures 1 --output misfire.csv
            """
    )

    @OptionGroup var recorded: RecordingOptions

    @Argument(help: "The number of the capture to write, as the list has it: 1 is the newest.")
    var number: Int?

    @Option(name: .long, help: "With a number: csv (RFC 4180, the default) or jsonl.")
    var format: RowWriter.Format?

    @Option(name: .long, help: "With a number: a row is one reading (long), or all of one time (wide, the default).")
    var layout: ExportOptions.Layout?

    @Option(
        name: .shortAndLong,
        help: "The file, a regular one: no link, device or FIFO (default, and -: standard output).",
        completion: .file()
    )
    var output: String?

    @Flag(name: .long, help: "Print the list as JSON.")
    var json = false

    /// A capture with its record.
    private struct Recorded {
        let entry: Recording.Entry
        let report: CaptureReport
    }

    func validate() throws {
        if let number = self.number, number < 1 { throw ValidationError("captures are numbered from 1") }
        let options = [
            self.format.map { _ in "--format" }, self.layout.map { _ in "--layout" },
            self.output.map { _ in "--output" },
        ]
        if self.number == nil, let option = options.compactMap(\.self).first {
            let next = option == "--format" ? "a number, such as 1; --json prints the list" : "a number, such as 1"
            throw ValidationError("\(option) needs the number of a capture. Try: \(next)")
        }
        if self.number != nil, self.json {
            throw ValidationError("--json prints the list. Try: --format jsonl, which writes a capture")
        }
    }

    func run() throws {
        let isRoot = RootPrivileges.mustBeDropped(toOwnerOf: try self.recorded.place.path())
        let symbols = self.number == nil ? [:] : try self.recorded.place.configuration.symbols()
        let file = try self.number.map { _ in try OutputFile(self.output, replacing: true, inPlace: isRoot) }
        let recording = try self.recorded.open()
        let vehicle = try self.recorded.chosen(in: recording)
        let captures = try Self.captures(of: vehicle.name, in: recording)
        guard let number = self.number, let file else { return try self.printList(captures, of: vehicle) }
        guard number <= captures.count else {
            throw CommandFailure(
                .noInput,
                "there is no capture \(number); the recording of \(vehicle.name) has \(captures.count)",
                next: "obd-agent captures."
            )
        }
        let capture = captures[number - 1]
        try file.write(
            capture.report.table(
                of: vehicle.name,
                at: capture.entry.time,
                clock: capture.entry.clock,
                isWide: self.layout != .long,
                as: self.format ?? .csv
            ) { series in Parameter.symbol(ofSeries: series) ?? symbols[String(series.prefix { $0 != "/" })] }
        )
        try file.close()
        guard let output = self.output, OutputFile.isFile(output) else { return }
        let readings = capture.report.count.counted("reading")
        Console.printError("capture \(number) of \(vehicle.name) in \(output), with \(readings)")
    }

    /// Returns the captures of a vehicle, the newest first.
    private static func captures(of vehicle: String, in recording: Recording) throws -> [Recorded] {
        let entries: [Recording.Entry]
        do { entries = try recording.events(.capture, of: vehicle) } catch {
            throw CommandFailure(.noInput, "\(error)")
        }
        return entries.reversed().compactMap { entry in
            CaptureReport(JSON(payload: entry.body)["capture"]).map { Recorded(entry: entry, report: $0) }
        }
    }

    private func printList(_ captures: [Recorded], of vehicle: Recording.Vehicle) throws {
        guard !self.json else {
            return try JSONOutput.print(
                [
                    "vehicle": .string(vehicle.name),
                    "captures": .array(
                        captures.map { capture in
                            [
                                "time": .string(capture.entry.time.description),
                                "clock": .string(capture.entry.clock.rawValue),
                                "rule": .string(capture.report.rule),
                                "trigger": .string(capture.report.trigger.rawValue),
                                "summary": .string(capture.report.summary),
                                "before": .number(capture.report.before), "after": .number(capture.report.after),
                                "ended": .string(capture.report.ended.rawValue),
                                "readings": .integer(Int64(capture.report.count)),
                            ]
                        }
                    ),
                ] as JSON
            )
        }
        guard !captures.isEmpty else { return Console.print("There is no capture of \(vehicle.name).") }
        var table = TextTable()
        table.append(["", "moment", "rule", "before", "after", "readings", "what happened"])
        for (index, capture) in captures.enumerated() {
            table.append(CaptureText.row(index + 1, capture.report, at: capture.entry.time))
        }
        for line in table.lines { Console.print(line) }
    }
}
