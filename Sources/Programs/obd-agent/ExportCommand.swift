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

extension Recording.Kind: ExpressibleByArgument {}
extension RowWriter.Format: ExpressibleByArgument {}
extension ExportOptions.Layout: ExpressibleByArgument {}

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes the recording of a vehicle as CSV or JSON Lines.",
        discussion: """
            Works with and without a running agent. Times are UTC, and numbers are metric. The column clock says \
            "unsynchronised" if the clock was not synchronized. The recording has the last [store] keep_days.

            Examples:
              obd-agent export --output drive.csv
              obd-agent export --vehicle ZZZSMVLATR4700893 --from 2026-11-01 --to 2026-11-30 --layout wide > november.csv
              obd-agent export --what codes --format jsonl
              obd-agent export --what track --from 2026-11-21 --to 2026-11-21
            """
    )

    @OptionGroup var recorded: RecordingOptions

    @Option(name: .long, help: "The records to write.")
    var what = Recording.Kind.samples

    @OptionGroup var times: TimeRangeOptions

    @Option(name: .long, help: "csv (RFC 4180) or jsonl.")
    var format = RowWriter.Format.csv

    @Option(name: .long, help: "A row is one sample (long), or all samples of one time (wide).")
    var layout = ExportOptions.Layout.long

    @Option(
        name: .shortAndLong,
        help: "The file, a regular one: no link, device or FIFO (default, and -: standard output).",
        completion: .file()
    )
    var output: String?

    @Flag(
        name: .long,
        help: ArgumentHelp(
            "Remove the exported records that the broker has acknowledged from the recording.",
            discussion: "A vehicle whose last record was removed is forgotten, except the last connected vehicle."
        )
    )
    var deleteAfter = false

    func validate() throws {
        if self.deleteAfter, !OutputFile.isFile(self.output) {
            throw ValidationError("--delete-after needs --output, because only a file is known to be on the disk")
        }
        if self.layout == .wide, self.what != .samples {
            throw ValidationError("--layout wide needs --what samples")
        }
    }

    func run() throws {
        let (from, to) = try self.times.range()
        let symbols = try self.recorded.place.configuration.symbols()
        // Root opens the file; the recording is read as its owner. An earlier export with --delete-after may be the only
        // copy, so it is not replaced.
        let isRoot = RootPrivileges.mustBeDropped(toOwnerOf: try self.recorded.place.path())
        let file = try OutputFile(self.output, replacing: !self.deleteAfter, inPlace: isRoot)
        let recording = try self.recorded.open()
        let vehicle = try self.recorded.chosen(in: recording)
        let options = ExportOptions(
            vehicle: vehicle.name,
            kind: self.what,
            from: from,
            to: to,
            format: self.format,
            layout: self.layout
        )
        var clock = ProgressClock()
        let exporter = Exporter(
            recording,
            options,
            unit: { series in
                Parameter.symbol(ofSeries: series) ?? symbols[String(series.prefix { $0 != "/" })]
            },
            write: { try file.write($0) },
            report: { progress in
                guard clock.isDue() else { return }
                Console.progress("\(progress.rows) rows\(progress.time.map { ", at \($0)" } ?? "")")
            }
        )
        do {
            let result = try exporter.run()
            try file.close()
            try self.finish(result, of: vehicle.name, in: recording)
        } catch let error as StoreError {
            throw CommandFailure(.noInput, "\(error)")
        }
    }

    private func finish(_ result: Exporter.Progress, of vehicle: String, in recording: Recording) throws {
        if result.damaged > 0 { Console.printError("\(result.damaged) damaged records are left out") }
        guard let output = self.output, OutputFile.isFile(output) else { return }
        Console.printError("\(result.rows.counted("row")) of \(vehicle) in \(output)")
        guard self.deleteAfter else { return }
        let removed = try recording.remove(self.what, result.complete, of: vehicle)
        let kept = result.complete.count - removed
        Console.printError(
            "\(removed) records removed" + (kept > 0 ? "; \(kept) stay until the broker has them" : "")
        )
    }
}
