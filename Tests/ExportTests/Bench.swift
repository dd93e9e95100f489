// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import SQLite
import Store
import TestSupport

/// A state directory with a recording.
struct Bench: Sendable {
    /// 2026-11-21T10:00:00Z.
    static let date = Timestamp(milliseconds: 1_795_255_200_000)

    let directory: TemporaryDirectory
    let store: Store

    init(keepDays: Int64 = 90) async throws {
        self.directory = try TemporaryDirectory()
        self.store = Store(
            .init(agent: "a1", boot: "b1", directory: self.directory.path, keepDays: keepDays, firstEpoch: 100)
        )
        _ = await self.store.open(at: .zero)
    }

    static func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(sinceBoot: .milliseconds(milliseconds)) }

    /// Appends a batch of samples that starts at `at`.
    func append(_ series: [String: Telemetry.Series], at: Int64, vehicle: String = "van") async {
        let parts = series.map { name, part in
            "\"\(name)\":{\"ecu\":\"\(part.ecu)\",\"scale\":\(part.scale),\"dt\":\(part.dt),\"dv\":\(part.dv)}"
        }
        await self.append("{\"series\":{\(parts.joined(separator: ","))}}", to: .telemetry, at: at, vehicle: vehicle)
    }

    func append(_ body: String, to stream: RecordStream, at: Int64, vehicle: String = "van") async {
        await self.store.append(
            Array(body.utf8),
            to: stream,
            at: Self.time(at),
            destination: .init(vehicle: vehicle),
            isCritical: body.contains("code_")
        )
    }

    func meet(_ vehicle: String, vin: String? = nil) async {
        await self.store.remember(VehicleEntry(name: vehicle, vin: vin, at: .zero))
    }

    /// Flushes the store, with a clock that is trusted or not.
    func save(_ clock: ClockQuality = .synchronised, values: [LastValue] = []) async {
        let start = BootStart(date: Self.date, quality: clock)
        await self.store.flush(.init(now: .zero, start: start, values: values), isLast: true)
    }

    func acknowledge(_ count: Int = .max) async {
        var left = count
        while left > 0, let record = await self.store.next() {
            await self.store.acknowledge(record.stream, record.id)
            left -= 1
        }
    }

    func export(
        _ kind: Recording.Kind = .samples,
        vehicle: String = "van",
        from: String? = nil,
        to: String? = nil,
        _ format: RowWriter.Format = .csv,
        _ layout: ExportOptions.Layout = .long
    ) throws -> (text: String, progress: Exporter.Progress) {
        var text = ""
        let options = ExportOptions(
            vehicle: vehicle,
            kind: kind,
            from: from.flatMap { Timestamp("2026-11-21T\($0)Z") },
            to: to.flatMap { Timestamp("2026-11-21T\($0)Z") },
            format: format,
            layout: layout
        )
        let exporter = Exporter(
            try self.recording(),
            options,
            unit: { $0.hasPrefix("engine_speed") ? "rpm" : nil },
            write: { text += $0 },
            report: { _ in }
        )
        let progress = try exporter.run()
        return (text, progress)
    }
}

extension Bench {
    func recording() throws -> Recording { try Recording(in: self.directory.path) }

    /// Makes the file one of another version, which only agents of that version read.
    func set(version: Int) throws {
        let database = try Database("\(self.directory.path)/obd-agent.db")
        try database.run("PRAGMA user_version = \(version)")
        try database.run("UPDATE meta SET value = \(version) WHERE name = 'readable_by'")
    }
}
