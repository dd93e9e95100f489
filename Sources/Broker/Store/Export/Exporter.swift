// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

/// Writes the recording of a vehicle as rows, one record at a time.
///
/// The export ends with the record that was newest at its start, even if the agent goes on recording.
package final class Exporter {
    /// The progress of an export, and its result at the end.
    package struct Progress: Hashable, Sendable {
        package var rows = 0
        /// The time of the last row.
        package var time: Timestamp?
        /// The number of unreadable records.
        package var damaged = 0
        /// The records that were exported completely.
        package var complete: [RecordID] = []
    }

    /// A bound on the time that one batch covers: an earlier batch has no sample in the exported range.
    private static let longestBatch = Duration.seconds(3700)

    private let recording: Recording
    private let options: ExportOptions
    private let unit: (String) -> String?
    private let write: (String) throws -> Void
    private let report: (Progress) -> Void
    private var progress = Progress()

    /// - Parameters:
    ///   - unit: returns the metric unit of a parameter.
    ///   - write: writes the next part of the text.
    ///   - report: receives the progress after each page of records.
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

    /// Writes all rows.
    ///
    /// - Throws: ``StoreError`` and the errors of `write`.
    package func run() throws -> Progress {
        let end = try self.recording.last(self.options.kind)
        switch (self.options.kind, self.options.layout) {
        case (.samples, .long): try self.writeSamples(through: end)
        case (.samples, .wide): try self.writeTimes(through: end)
        case (.track, _): try self.writeTrack(through: end)
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
        let writer = RowWriter(self.options.format, columns: TelemetrySample.columns)
        try self.write(writer.header)
        var units: [String: JSON] = [:]
        try self.forEachBatch(through: end) { entry, samples in
            var text = ""
            for sample in samples {
                let unit = units[sample.series] ?? self.unit(sample.series).map { .string($0) } ?? .null
                units[sample.series] = unit
                let cells = sample.cells(
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

    /// Writes one row per time.
    ///
    /// The recording is read twice, because the columns must be known before the first row.
    private func writeTimes(through end: RecordID?) throws {
        var names: Set<String> = []
        // The open batch may grow between the two reads. The later samples are left to the next export.
        var last: Recording.Entry?
        try self.forEachBatch(through: end) { entry, samples in
            names.formUnion(samples.map(\.series))
            last = entry
        }
        self.progress = Progress()
        let series = names.sorted()
        let commonColumns = ["vehicle", "time", "clock", "epoch"]
        let columnOfSeries = Dictionary(uniqueKeysWithValues: zip(series, commonColumns.count...))
        let writer = RowWriter(self.options.format, columns: commonColumns + series)
        try self.write(writer.header)
        let empty = [JSON](repeating: .null, count: series.count)
        var pending: (time: Timestamp, epoch: UInt64, cells: [JSON])?
        func writePending() throws {
            guard let row = pending else { return }
            try self.write(writer.row(row.cells))
            self.progress.rows += 1
            pending = nil
        }
        try self.forEachBatch(through: last?.id, last: last) { entry, samples in
            for sample in samples {
                if let row = pending, (row.time, row.epoch) != (sample.time, entry.id.epoch) { try writePending() }
                let start: [JSON] = [
                    .string(self.options.vehicle), .string(sample.time.description), .string(entry.clock.rawValue),
                    .integer(Int64(entry.id.epoch)),
                ]
                var row = pending ?? (sample.time, entry.id.epoch, start + empty)
                if let column = columnOfSeries[sample.series] { row.cells[column] = .number(sample.value) }
                pending = row
            }
        }
        try writePending()
    }

    private func writeTrack(through end: RecordID?) throws {
        let writer = RowWriter(self.options.format, columns: Telemetry.TrackPoint.columns)
        try self.write(writer.header)
        try self.forEachEntry(through: end) { entry in
            guard let telemetry = (try? JSON(parsing: entry.body, depthLimit: 8)).flatMap(Telemetry.init) else {
                self.progress.damaged += 1
                return
            }
            guard let track = telemetry.track else { return }
            guard let all = track.points(from: entry.time) else {
                self.progress.damaged += 1
                return
            }
            let points = all.filter { self.options.contains($0.time) }
            guard let newest = points.last else { return }
            for point in points { try self.write(writer.row(point.cells(of: self.options.vehicle, entry.clock))) }
            self.progress.rows += points.count
            self.progress.time = newest.time
            // The samples of the same record may not have been exported.
            if points.count == all.count, telemetry.series.isEmpty { self.progress.complete.append(entry.id) }
        }
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
            let telemetry = (try? JSON(parsing: entry.body, depthLimit: 8)).flatMap(Telemetry.init)
            guard let batch = telemetry?.samples(from: entry.time) else {
                self.progress.damaged += 1
                return
            }
            let samples = batch.filter { self.options.contains($0.time) }
            guard let newest = samples.last else { return }
            try body(entry, samples)
            self.progress.time = newest.time
            // The track of the same record may not have been exported.
            if samples.count == batch.count, telemetry?.track == nil { self.progress.complete.append(entry.id) }
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
