// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

/// Writes what is recorded of a vehicle as rows, a batch at a time.
///
/// It ends with what was newest when it began: an agent that goes on recording makes it no longer.
package final class Exporter {
    /// How far an export has come, and what it came to.
    package struct Progress: Hashable, Sendable {
        package var rows = 0
        /// The time of the last row.
        package var time: Timestamp?
        /// Records that can't be read.
        package var damaged = 0
        /// The records of which everything was written.
        package var complete: [RecordID] = []
    }

    /// No batch is longer: what begins earlier can't reach into the time that is asked for.
    private static let longestBatch = Duration.seconds(3700)

    private let recording: Recording
    private let options: ExportOptions
    private let unit: (String) -> String?
    private let write: (String) throws -> Void
    private let report: (Progress) -> Void
    private var progress = Progress()

    /// - Parameters:
    ///   - unit: tells the metric unit of a parameter.
    ///   - write: takes the text, in order.
    ///   - report: is told now and then how far it has come.
    package init(
        _ recording: Recording,
        _ options: ExportOptions,
        unit: @escaping (String) -> String?,
        write: @escaping (String) throws -> Void,
        report: @escaping (Progress) -> Void
    ) {
        self.recording = recording
        self.options = options
        self.unit = unit
        self.write = write
        self.report = report
    }

    /// Writes everything.
    ///
    /// - Throws: ``StoreError``, and whatever `write` throws.
    package func run() throws -> Progress {
        let end = try self.recording.last(self.options.kind)
        switch (self.options.kind, self.options.layout) {
        case (.samples, .long): try self.writeSamples(through: end)
        case (.samples, .wide): try self.writeTimes(through: end)
        case (.codes, _): try self.writeEntries(EventRow.codeColumns, through: end, EventRow.code)
        case (.findings, _): try self.writeEntries(EventRow.findingColumns, through: end, EventRow.finding)
        }
        return self.progress
    }

    private func writeEntries(
        _ columns: [String],
        through end: RecordID?,
        _ cells: (Recording.Entry, String) -> [JSON]?
    ) throws {
        let writer = RowWriter(self.options.format, columns: columns)
        try self.write(writer.header)
        try self.forEachEntry(through: end) { entry in
            guard self.options.contains(entry.time) else { return }
            guard let row = cells(entry, self.options.vehicle) else {
                self.progress.damaged += 1
                return
            }
            guard !row.isEmpty else { return }
            try self.write(writer.row(row))
            self.progress.rows += 1
            self.progress.time = entry.time
            self.progress.complete.append(entry.id)
        }
    }

    private func writeSamples(through end: RecordID?) throws {
        let writer = RowWriter(self.options.format, columns: SampleRow.columns)
        try self.write(writer.header)
        var units: [String: JSON] = [:]
        try self.forEachBatch(through: end) { entry, samples in
            var text = ""
            for sample in samples {
                let unit = units[sample.series] ?? self.unit(sample.series).map { .string($0) } ?? .null
                units[sample.series] = unit
                let cells = SampleRow.cells(
                    sample,
                    of: self.options.vehicle,
                    clock: entry.clock,
                    unit: unit,
                    epoch: entry.id.epoch,
                    seq: entry.id.seq
                )
                text += writer.row(cells)
            }
            try self.write(text)
            self.progress.rows += samples.count
        }
    }

    /// Twice through the recording: which parameters there are must be known before the first row.
    private func writeTimes(through end: RecordID?) throws {
        var names: Set<String> = []
        // The batch that is open grows while it is read; what came after the first look is for the next export.
        var last: Recording.Entry?
        try self.forEachBatch(through: end) { entry, samples in
            names.formUnion(samples.map(\.series))
            last = entry
        }
        self.progress = Progress()
        let series = names.sorted()
        let heads = ["vehicle", "time", "clock", "epoch"]
        let places = Dictionary(uniqueKeysWithValues: zip(series, heads.count...))
        let writer = RowWriter(self.options.format, columns: heads + series)
        try self.write(writer.header)
        let empty = [JSON](repeating: .null, count: series.count)
        var open: (time: Timestamp, epoch: UInt64, cells: [JSON])?
        func close() throws {
            guard let row = open else { return }
            try self.write(writer.row(row.cells))
            self.progress.rows += 1
            open = nil
        }
        try self.forEachBatch(through: last?.id, last: last) { entry, samples in
            for sample in samples {
                if let row = open, (row.time, row.epoch) != (sample.time, entry.id.epoch) { try close() }
                let start: [JSON] = [
                    .string(self.options.vehicle), .string(sample.time.description), .string(entry.clock.rawValue),
                    .integer(Int64(entry.id.epoch)),
                ]
                var row = open ?? (sample.time, entry.id.epoch, start + empty)
                if let place = places[sample.series] { row.cells[place] = .number(sample.value) }
                open = row
            }
        }
        try close()
    }

    private func forEachBatch(
        through end: RecordID?,
        last: Recording.Entry? = nil,
        _ body: (Recording.Entry, [TelemetrySample]) throws -> Void
    ) throws {
        try self.forEachEntry(through: end) { entry in
            if let from = self.options.from, entry.time + Self.longestBatch < from { return }
            if let to = self.options.to, entry.time >= to { return }
            let entry = entry.id == last?.id ? last ?? entry : entry
            guard let batch = SampleBatch(entry) else {
                self.progress.damaged += 1
                return
            }
            let samples = batch.samples.filter { self.options.contains($0.time) }
            guard let newest = samples.last else { return }
            try body(entry, samples)
            self.progress.time = newest.time
            if samples.count == batch.samples.count { self.progress.complete.append(entry.id) }
        }
    }

    private func forEachEntry(through end: RecordID?, _ body: (Recording.Entry) throws -> Void) throws {
        guard let end else { return }
        var position = RecordID.zero
        while true {
            let page = try self.recording.entries(
                self.options.kind,
                of: self.options.vehicle,
                after: position,
                through: end
            )
            guard let last = page.last else { return }
            for entry in page { try body(entry) }
            position = last.id
            self.report(self.progress)
        }
    }
}
