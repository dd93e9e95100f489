// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// The work of one transaction.
struct BatchTransaction {
    /// The number of series in a call of the database.
    private static let seriesPart = 1000

    private let batch: Batch
    private let known: SeriesCache
    /// The ids of series that the database has told, to be remembered once they are committed.
    private(set) var found: [SeriesKey: Int64] = [:]
    var result = WriteResult()

    private var received: [StreamKey: Received] = [:]
    private var samples: [SampleRow] = []
    private var rows: [CollectTable: [[ColumnValue]]] = [:]

    init(_ batch: Batch, knowing series: SeriesCache) {
        self.batch = batch
        self.known = series
    }

    /// Makes all calls between `begin` and `commit`.
    mutating func write(to database: some CollectDatabase, at now: Timestamp) throws(CollectError) {
        var changes = self.batch.allChanges
        for epoch in self.batch.earlierEpochs {
            var isKnown = self.batch.records.contains(where: epoch.isKnown)
            if !isKnown { isKnown = try database.hasEpoch(of: epoch.agent, through: epoch.number) }
            if isKnown { changes += epoch.changes }
        }
        let keys = Set(
            self.batch.records.map(\.key) + changes.map(\.key) + self.batch.rejected.compactMap(\.number?.key)
        )
        let before = keys.isEmpty ? [:] : try database.received(keys.sorted())
        self.received = before
        for key in keys where before[key] == nil { self.received[key] = Received() }
        let new = self.newRecords()
        for change in changes { self.received[change.key]?.factReceived(change.fact) }
        self.rejectMessages()
        try self.find(new, in: database)
        for record in new { self.addRows(of: record) }
        self.result.samples = self.samples.count

        if !self.samples.isEmpty { try database.insert(self.samples) }
        for table in CollectTable.allCases {
            if let rows = self.rows[table] { try database.insert(rows, into: table) }
        }
        try self.save(before, to: database)
        let states = self.batch.newestStates
        if !states.isEmpty { try database.upsert(states) }
        self.result.states = states.count
        self.result.received(new, at: now)
    }

    /// Returns the records that the database does not have, in the order of their numbers.
    private mutating func newRecords() -> [CollectedRecord] {
        let order = self.batch.records.indices.sorted { left, right in
            let (first, second) = (self.batch.records[left], self.batch.records[right])
            // Of two copies the first one counts.
            if first.key != second.key { return first.key < second.key }
            return (first.seq, left) < (second.seq, right)
        }
        var new: [CollectedRecord] = []
        new.reserveCapacity(order.count)
        for index in order {
            let record = self.batch.records[index]
            if record.isAgain { self.result.again += 1 }
            switch self.received[record.key]?.recordReceived(record.seq) {
            case .next: new.append(record)
            case .late:
                self.result.late += 1
                new.append(record)
            case .duplicate, nil: self.result.duplicates += 1
            }
        }
        return new
    }

    /// Adds rows for the damaged messages that are not known as such.
    private mutating func rejectMessages() {
        for rejected in self.batch.rejected {
            if let number = rejected.number {
                guard let known = self.received[number.key], !known.numbers.contains(number.seq),
                    !known.lost.contains(number.seq)
                else {
                    self.result.duplicates += 1
                    continue
                }
                self.received[number.key]?.factReceived(.lost(NumberSet([number.seq...number.seq])))
            }
            self.rows[.rejected, default: []].append(rejected.row)
            self.result.rejected += 1
        }
    }

    /// Asks the database for the ids of the series that are not known.
    private mutating func find(_ records: [CollectedRecord], in database: some CollectDatabase) throws(CollectError) {
        var unknown: Set<SeriesKey> = []
        for record in records {
            for series in record.series where self.known[series.key] == nil { unknown.insert(series.key) }
        }
        // In the order in which all collectors create them, and few at a time, because each call copies the names.
        var rest = unknown.sorted(by: SeriesMatch.precedes)[...]
        unknown = []
        while !rest.isEmpty {
            let part = Array(rest.prefix(Self.seriesPart))
            rest = rest.dropFirst(Self.seriesPart)
            let found = try database.series(part)
            guard part.allSatisfy({ found[$0] != nil }) else { throw .conflict("a series has no id") }
            self.found.merge(found) { $1 }
        }
    }

    private mutating func addRows(of record: CollectedRecord) {
        func id(_ key: SeriesKey) -> Int64? { self.known[key] ?? self.found[key] }
        let series = record.series.compactMap { series in id(series.key).map { (id: $0, series: series) } }
        switch record.content {
        case .telemetry(_, let points):
            for (id, series) in series {
                for (time, value) in zip(series.times, series.values) {
                    self.samples.append(
                        SampleRow(time: time, value: value, series: id, isSynchronised: record.isSynchronised)
                    )
                }
            }
            if !points.isEmpty { self.rows[.positions, default: []] += points.map { record.row(of: $0) } }
        case .event(let event):
            self.rows[.events, default: []].append(record.row(of: event))
            switch event.detail {
            case .codeChange(let change): self.rows[.codeChanges, default: []].append(record.row(of: event, change))
            case .trip(let trip): self.rows[.trips, default: []].append(record.row(of: trip))
            case .capture(let capture):
                self.rows[.captures, default: []].append(record.row(of: capture))
                for (id, series) in series {
                    self.rows[.captureSamples, default: []] += record.rows(of: series, id)
                }
            case .recordsDropped, .started, nil: break
            }
        case .response(let response): self.rows[.responses, default: []].append(record.row(of: response))
        }
    }

    /// Saves the rows of the streams that have changed.
    private mutating func save(_ before: [StreamKey: Received], to database: some CollectDatabase) throws(CollectError)
    {
        for key in self.received.keys { self.result.givenUp += self.received[key]?.reduce() ?? 0 }
        let (old, new) = (before.joined(), self.received.joined())
        var changed: [StreamKey: Received] = [:]
        for (key, joined) in new {
            // Rows of other vehicles count for the outlook only, because they may be forged.
            self.received[key]?.outlook = joined.outlook
            let (stored, row) = (before[key] ?? Received(), self.received[key] ?? joined)
            if row != stored { changed[key] = row }
            self.result.holesChanged(from: old[key] ?? Received(), to: joined)
            self.result.lost &+= row.lost.growth(since: stored.lost)
        }
        if !changed.isEmpty { try database.save(changed) }
        self.result.shared = self.received.contradictions
    }
}
