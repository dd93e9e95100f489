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
    /// Records telemetry as CSV.
    struct Record: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "record",
            abstract: "Writes the samples that arrive as CSV, each once, until Ctrl-C.",
            discussion: """
                The columns are those of obd-agent export. The file is complete or absent: until the end its name ends \
                in .part, and without a sample there is no file. Samples that were sent before are in the vehicle's own recording: obd-agent export.

                Example:
                  obd-remote record --csv drive.csv --for 1h
                """
        )

        @OptionGroup var choice: VehicleChoice

        @Option(name: .long, help: "The file, a regular one, or - for standard output.", completion: .file())
        var csv: String

        @Option(name: .customLong("for"), help: "How long to record, such as 30s, 5m or 2h (default: until Ctrl-C).")
        var time: TimeSpan?

        @Flag(name: .long, help: "Replace an existing file.")
        var force = false

        func run() async throws {
            let broker = try self.choice.broker.brokerAccess()
            let vehicle = try await self.choice.known(on: broker)
            let path = self.csv == "-" ? nil : self.csv
            let file = try OutputFile(
                path,
                replacing: self.force,
                remedy: "another name, or --force, which replaces the file."
            )
            let writer = RowWriter(.csv, columns: TelemetrySample.columns)
            try file.write(writer.header)
            try file.flush()
            var reader = TelemetryReader(broker.topics)
            var units: [String: JSON] = [:]
            var (rows, missing, damaged) = (0, UInt64(0), 0)
            let following = Following(
                try broker.filters(["telemetry", "telemetry/zlib"], of: vehicle),
                until: self.time.map { broker.now + $0.duration }
            )
            func record(_ message: Message) throws {
                switch reader.receive(message) {
                case .duplicate, .foreign: return
                case .damaged: damaged += 1
                case .record(let record, let gap):
                    if gap > 0 {
                        missing = missing.addingReportingOverflow(gap).partialValue
                        let lost = Int(clamping: gap).counted("record")
                        Output.note("\(lost) missing before \(record.number.epoch)/\(record.number.seq)")
                    }
                    for sample in record.samples {
                        let known = units[sample.series]
                        let unit = known ?? Parameter.symbol(ofSeries: sample.series).map { .string($0) } ?? .null
                        if known == nil, units.count < 4096 { units[sample.series] = unit }
                        let cells = sample.cells(
                            of: record.vehicle,
                            clock: record.clock,
                            unit: unit,
                            epoch: record.number.epoch,
                            seq: record.number.seq
                        )
                        try file.write(writer.row(cells))
                    }
                    try file.flush()
                    rows += record.samples.count
                }
            }
            let end = self.time.map { "for \($0)" } ?? "until Ctrl-C"
            do {
                try await broker.followMessages(
                    following,
                    writesOutput: path == nil,
                    started: { Output.note("recording \(vehicle) \(end)") },
                    record
                )
            } catch {
                // The samples that came before the end are worth as much as without it.
                Self.complete(file, path, rows)
                throw error
            }
            if damaged > 0 { Output.note("\(damaged.counted("damaged record")) left out") }
            if missing > 0 {
                let lost = Int(clamping: missing).counted("record")
                Output.note("\(lost) missing; the vehicle's own recording has what it kept")
            }
            // A file with nothing but its header would be in the way of the next recording.
            if rows > 0 || path == nil { try file.close() }
            let place = path.map { rows > 0 ? " in \($0)" : ", so there is no file \($0)" } ?? ""
            Output.note("\(rows.counted("row")) of \(vehicle)\(place)")
        }

        /// Completes the file of a recording that an error has ended.
        private static func complete(_ file: OutputFile, _ path: String?, _ rows: Int) {
            guard let path, rows > 0 else { return }
            do {
                try file.close()
                Output.note("The rows before the error are in \(path): \(rows.counted("row"))")
            } catch {
                file.keepDraft()
                Output.note("The rows before the error are in \(path).part")
            }
        }
    }
}
