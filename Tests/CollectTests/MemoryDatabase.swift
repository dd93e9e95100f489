// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

@testable import Collect

/// The tables of a database in memory, and the faults that its calls have.
final class MemoryTables {
    struct Content {
        var received: [StreamKey: Received] = [:]
        var series: [SeriesKey: Int64] = [:]
        var samples: [SampleRow] = []
        var rows: [CollectTable: [[ColumnValue]]] = [:]
        var states: [String: CollectedState] = [:]

        /// The rows of the same sequences on the topics of all vehicles.
        func rows(of keys: some Sequence<StreamKey>) -> [StreamKey: Received] {
            let sequences = Set(keys.map(\.sequence))
            return self.received.filter { sequences.contains($0.key.sequence) }
        }

        func joined(_ keys: some Sequence<StreamKey>) -> [StreamKey: Received] {
            let wanted = Set(keys)
            return self.rows(of: wanted).joined().filter { wanted.contains($0.key) }
        }
    }

    var content = Content()
    /// Returns the error of the next call; nil if it works.
    var fault: (Call) -> CollectError? = { _ in nil }
    /// The numbers of samples that no database takes.
    var isInvalid: (SampleRow) -> Bool = { _ in false }

    enum Call: Hashable {
        case begin, received, series, insert, save, upsert, commit
        /// The answer to a commit that was done.
        case answer
    }
}

/// A writer's connection to a database in memory: a transaction is a copy of the tables.
final class MemoryDatabase: CollectDatabase {
    private let tables: MemoryTables
    private var transaction: MemoryTables.Content?
    private(set) var calls: [MemoryTables.Call] = []
    private(set) var seriesAsked = 0

    init(_ tables: MemoryTables) { self.tables = tables }

    private func call(_ call: MemoryTables.Call) throws(CollectError) {
        self.calls.append(call)
        if let error = self.tables.fault(call) {
            self.transaction = nil
            throw error
        }
    }

    private func change(_ body: (inout MemoryTables.Content) -> Void) throws(CollectError) {
        guard var content = self.transaction else { throw .unreachable("no transaction") }
        self.transaction = nil
        body(&content)
        self.transaction = content
    }

    func open() throws(CollectError) {}

    func begin() throws(CollectError) {
        try self.call(.begin)
        self.transaction = self.tables.content
    }

    func received(_ keys: [StreamKey]) throws(CollectError) -> [StreamKey: Received] {
        try self.call(.received)
        try self.change { content in
            for key in keys where content.received[key] == nil { content.received[key] = Received() }
        }
        return self.transaction?.rows(of: keys) ?? [:]
    }

    func hasEpoch(of agent: String, through epoch: UInt64) throws(CollectError) -> Bool {
        self.transaction?.received.keys.contains { $0.agent == agent && $0.epoch <= epoch } ?? false
    }

    func series(_ keys: [SeriesKey]) throws(CollectError) -> [SeriesKey: Int64] {
        try self.call(.series)
        self.seriesAsked += keys.count
        try self.change { content in
            for key in keys where content.series[key] == nil { content.series[key] = Int64(content.series.count + 1) }
        }
        return self.transaction?.series.filter { keys.contains($0.key) } ?? [:]
    }

    func insert(_ samples: [SampleRow]) throws(CollectError) {
        try self.call(.insert)
        if samples.contains(where: self.tables.isInvalid) { throw .invalid("a sample") }
        try self.change { $0.samples += samples }
    }

    func insert(_ rows: [[ColumnValue]], into table: CollectTable) throws(CollectError) {
        try self.call(.insert)
        guard rows.allSatisfy({ $0.count == table.columns.count }) else { throw .invalid("columns") }
        try self.change { $0.rows[table, default: []] += rows }
    }

    func save(_ received: [StreamKey: Received]) throws(CollectError) {
        try self.call(.save)
        try self.change { $0.received.merge(received) { $1 } }
    }

    func upsert(_ states: [CollectedState]) throws(CollectError) {
        try self.call(.upsert)
        try self.change { content in
            for state in states {
                content.states["\(state.vehicle)/\(state.topic)"] = state.body.isEmpty ? nil : state
            }
        }
    }

    func commit() throws(CollectError) {
        try self.call(.commit)
        guard let transaction = self.transaction else { throw .unreachable("no transaction") }
        self.tables.content = transaction
        self.transaction = nil
        try self.call(.answer)
    }

    func rollback() { self.transaction = nil }

    func incomplete(limit: Int) throws(CollectError) -> [StreamKey: Received] {
        let open = self.tables.content.received.filter(\.value.outlook.hasHoles).keys.sorted()
        return self.tables.content.joined(open.prefix(limit))
    }

    func gaps(limit: Int, at now: Timestamp, until: Timestamp) throws(CollectError) -> [StreamKey: Received] {
        let open = self.tables.content.received.filter { key, received in
            (received.nextAsk.map { $0 <= now || $0 > now + DatabaseSchema.askHorizon } ?? true)
                && (received.outlook.hasHoles
                    || key.stream != .responses && !received.outlook.isEndKnown
                        && self.tables.content.received.keys.contains { later in
                            later.agent == key.agent && later.stream == key.stream && later.epoch > key.epoch
                        })
        }
        for key in open.keys.sorted().prefix(limit) { self.tables.content.received[key]?.nextAsk = until }
        return self.tables.content.joined(open.keys.sorted().prefix(limit))
    }

    func prune(before time: Timestamp, limit: Int) throws(CollectError) -> Int { 0 }
}
