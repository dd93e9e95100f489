// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Testing

@testable import Collect

@Suite("Writing of batches")
struct BatchWriterTests {
    private let tables = MemoryTables()
    private let key = StreamKey(agent: "a1", vehicle: "van", stream: .telemetry, epoch: 7)

    private func write(_ messages: [Message], _ writer: inout BatchWriter) throws -> WriteResult {
        try writer.write(try Messages.batch(messages), to: MemoryDatabase(self.tables), at: Messages.now) { _ in }
    }

    private func write(_ messages: [Message]) throws -> WriteResult {
        var writer = BatchWriter()
        return try self.write(messages, &writer)
    }

    private var received: Received { self.tables.content.received[self.key] ?? Received() }

    @Test("Copies in one batch and in another are written once, the first one")
    func duplicates() throws {
        let other: JSON = ["vehicle_speed": ["ecu": "7E8", "scale": 1, "dt": [0], "dv": [7]]]
        let first = try self.write([
            try Messages.telemetry(2), try Messages.telemetry(1), try Messages.telemetry(2, other),
        ])
        #expect(first.records == [.telemetry: 2])
        #expect(first.duplicates == 1)
        #expect(first.samples == 4)
        let second = try self.write([try Messages.telemetry(1), try Messages.telemetry(2)])
        #expect(second.records.isEmpty)
        #expect(second.duplicates == 2)
        #expect(self.tables.content.samples.map(\.value) == [50, 49, 50, 49])
        #expect(self.received.numbers.description == "1-2")
    }

    @Test("The rows of a batch are in the order of the numbers")
    func order() throws {
        let messages = try (1...3).reversed().map { seq in
            try Messages.telemetry(
                seq,
                ["x": ["ecu": "7E8", "scale": 1, "dt": [0], "dv": [.integer(Int64(seq))]]]
            )
        }
        _ = try self.write(messages)
        #expect(self.tables.content.samples.map(\.value) == [1, 2, 3])
    }

    @Test("The calls have one order, and none is made for nothing")
    func calls() throws {
        let database = MemoryDatabase(self.tables)
        var writer = BatchWriter()
        let batch = try Messages.batch([
            try Messages.telemetry(1), try Messages.event(1, "started"),
            try Messages.message("codes", ["v": 1, "time": .string(Messages.time)]),
        ])
        for _ in 0..<2 { _ = try writer.write(batch, to: database, at: Messages.now) { _ in } }
        #expect(
            database.calls == [
                .begin, .received, .series, .insert, .insert, .save, .upsert, .commit, .answer,
                // Of duplicates only the state is left.
                .begin, .received, .upsert, .commit, .answer,
            ]
        )
        _ = try writer.write(Batch(), to: database, at: Messages.now) { _ in }
        #expect(database.calls.count == 14)
    }

    @Test("Of an epoch that vanished between two known ones, both streams are asked for")
    func lostEpoch() throws {
        func known() -> Set<StreamKey> { Set(self.tables.content.received.keys.filter { $0.epoch == 8 }) }
        let both = Set(
            ResendArguments.streams.map { StreamKey(agent: "a1", vehicle: "van", stream: $0, epoch: 8) }
        )
        let start = try Messages.event(1, "started", ["previous_epoch": 8], epoch: 9)
        _ = try self.write([start])
        // What was before the collector is not its affair.
        #expect(known().isEmpty)
        self.tables.content = MemoryTables.Content()
        _ = try self.write([try Messages.telemetry(1)])
        _ = try self.write([start])
        #expect(known() == both)
        let claimed = try MemoryDatabase(self.tables).gaps(limit: 9, at: Messages.now, until: Messages.now)
        #expect(claimed.keys.contains { $0.epoch == 8 && $0.stream == .events })
        // It does not matter if all come at once.
        self.tables.content = MemoryTables.Content()
        _ = try self.write([try Messages.telemetry(1), start])
        #expect(known() == both)
        // Nonsense makes nothing known.
        for epoch in [10, 11, -1] as [JSON] {
            _ = try self.write([try Messages.event(2, "started", ["previous_epoch": epoch], epoch: 10)])
        }
        #expect(self.tables.content.received.keys.allSatisfy { $0.epoch <= 10 })
        #expect(self.tables.content.received.keys.count { $0.epoch == 10 } == 1)
    }

    @Test("Of an epoch that is known by its dropped records, the events are asked for too")
    func epochOfDroppedRecords() throws {
        let members: [String: JSON] = ["stream": "telemetry", "of_epoch": 6, "from": 1, "to": 384]
        _ = try self.write([try Messages.event(4, "records_dropped", members)])
        let key = StreamKey(agent: "a1", vehicle: "van", stream: .events, epoch: 6)
        #expect(self.tables.content.received[key] == Received())
        let claimed = try MemoryDatabase(self.tables).gaps(limit: 9, at: Messages.now, until: Messages.now)
        #expect(claimed[key]?.isEnded == false)
        // Responses never come again, so they open nothing.
        let responses: [String: JSON] = ["stream": "responses", "of_epoch": 5, "from": 1, "to": 3]
        _ = try self.write([try Messages.event(5, "records_dropped", responses)])
        #expect(self.tables.content.received.keys.allSatisfy { $0.epoch != 5 || $0.stream == .responses })
    }

    @Test("Series are remembered after the commit, and not before")
    func seriesCache() throws {
        let database = MemoryDatabase(self.tables)
        var writer = BatchWriter()
        self.tables.fault = { $0 == .commit ? .unreachable("gone") : nil }
        let batch = try Messages.batch([try Messages.telemetry(1)])
        #expect(throws: CollectError.unreachable("gone")) {
            try writer.write(batch, to: database, at: Messages.now) { _ in }
        }
        self.tables.fault = { _ in nil }
        _ = try writer.write(batch, to: database, at: Messages.now) { _ in }
        #expect(database.seriesAsked == 2)
        _ = try writer.write(
            try Messages.batch([try Messages.telemetry(2)]),
            to: database,
            at: Messages.now
        ) { _ in }
        #expect(database.seriesAsked == 2)
        #expect(self.tables.content.samples.allSatisfy { $0.series == 1 })
    }

    @Test("A lost answer to a commit doubles nothing")
    func lostAnswer() throws {
        var writer = BatchWriter()
        let batch = try Messages.batch([try Messages.telemetry(1)])
        self.tables.fault = { $0 == .answer ? .unreachable("cut") : nil }
        #expect(throws: CollectError.unreachable("cut")) {
            try writer.write(batch, to: MemoryDatabase(self.tables), at: Messages.now) { _ in }
        }
        self.tables.fault = { _ in nil }
        let result = try writer.write(batch, to: MemoryDatabase(self.tables), at: Messages.now) { _ in }
        #expect(result.duplicates == 1)
        #expect(self.tables.content.samples.count == 2)
    }

    @Test("A conflict is tried again after a wait, but not for ever")
    func conflicts() throws {
        var writer = BatchWriter()
        let batch = try Messages.batch([try Messages.telemetry(1)])
        var (left, waits) = (3, [Duration]())
        self.tables.fault = { call in
            guard call == .save, left > 0 else { return nil }
            left -= 1
            return .conflict("deadlock")
        }
        let result = try writer.write(batch, to: MemoryDatabase(self.tables), at: Messages.now) { waits.append($0) }
        #expect(result.conflicts == 3)
        #expect(result.transactions == 1)
        #expect(waits.count == 3 && waits.allSatisfy { $0 <= .seconds(1) })
        #expect(self.tables.content.samples.count == 2)
        left = .max
        waits = []
        #expect(throws: CollectError.conflict("deadlock")) {
            let next = try Messages.batch([try Messages.telemetry(2)])
            return try writer.write(next, to: MemoryDatabase(self.tables), at: Messages.now) { waits.append($0) }
        }
        #expect(waits.count == BatchWriter.attemptLimit - 1)
    }

    @Test("A record that the database does not accept is rejected, and all others are written", arguments: 1...9)
    func invalid(bad: Int) throws {
        self.tables.isInvalid = { $0.value == Double(bad) }
        let messages = try (1...9).map { seq in
            try Messages.telemetry(
                UInt64(seq),
                ["x": ["ecu": "7E8", "scale": 1, "dt": [0], "dv": [.integer(Int64(seq))]]]
            )
        }
        let result = try self.write(messages)
        #expect(result.records == [.telemetry: 8])
        #expect(result.rejected == 1)
        #expect(
            Set(self.tables.content.samples.map(\.value)) == Set((1...9).map(Double.init)).subtracting([Double(bad)])
        )
        #expect(self.tables.content.rows[.rejected]?.count == 1)
        #expect(!self.received.outlook.hasHoles)
        #expect(self.received.lost.description == "\(bad)")
        // The same message again is known as damaged.
        let again = try self.write([messages[bad - 1]])
        #expect(again.rejected <= 1)
    }

    @Test("Tables that take no rejected row are not those of this program")
    func strangeTables() throws {
        self.tables.fault = { $0 == .insert ? .invalid("no such column") : nil }
        do {
            _ = try self.write([try Messages.telemetry(1)])
            Issue.record("the batch was written")
        } catch CollectError.refused {
            #expect(self.tables.content.received.isEmpty)
        }
    }

    @Test("A damaged record is rejected once, and its number is no gap")
    func damaged() throws {
        let damaged = try Messages.telemetry(2, ["x": "nothing"])
        let first = try self.write([try Messages.telemetry(1), damaged, damaged, try Messages.telemetry(3)])
        #expect(first.rejected == 1)
        let second = try self.write([damaged])
        #expect(second.rejected == 0)
        #expect(!self.received.outlook.hasHoles)
        // A right copy is welcome.
        let third = try self.write([try Messages.telemetry(2)])
        #expect(third.records == [.telemetry: 1])
    }

    @Test("Each kind of record has rows with the columns of its tables")
    func rows() throws {
        let capture: JSON = [
            "rule": "code", "trigger": "mil_on", "before": 60, "after": 30, "ended": "complete",
            "series": ["engine_speed": ["ecu": "7E8", "scale": 0.25, "dt": [-500, 3], "dv": [4000, 0]]],
        ]
        let trip: JSON = ["duration": 6, "moving": 1, "idling": 1, "stopped": 4, "unobserved": 0]
        _ = try self.write([
            try Messages.message(
                "telemetry",
                Messages.record(1, "t0", ["series": [:], "track": ["dt": [0], "polyline": "??"]])
            ),
            try Messages.event(1, "code_gone", ["code": "P0301", "ecu": "7E8"]),
            try Messages.event(2, "trip", ["trip": trip]), try Messages.event(3, "capture", ["capture": capture]),
            try Messages.response(1, ["id": "x", "state": "refused", "reason": "busy"]),
        ])
        let counts = self.tables.content.rows.mapValues(\.count)
        #expect(
            counts == [
                .positions: 1, .events: 3, .codeChanges: 1, .trips: 1, .captures: 1, .captureSamples: 2,
                .responses: 1,
            ]
        )
    }

    @Test("What was dropped and what the agent does not have any more is lost, and counted")
    func lost() throws {
        let result = try self.write([
            try Messages.telemetry(10),
            try Messages.event(
                1,
                "records_dropped",
                ["stream": "telemetry", "of_epoch": 7, "from": 2, "to": 4]
            ),
            try Messages.response(
                1,
                [
                    "id": "c", "command": "resend", "state": "succeeded",
                    "result": [
                        "stream": "telemetry", "epoch": 7, "from": 5, "to": 8, "records": 3, "missing": [[6, 6]],
                        "last": 12,
                    ],
                ]
            ),
        ])
        #expect(self.received.holes.description == "1,5,7-9,11-12")
        #expect(result.lost == 4)
        #expect(result.opened == 7)
    }

    @Test("A forged far number opens a gap only until the agent tells its highest number")
    func farNumber() throws {
        let first = try self.write([try Messages.telemetry(1), try Messages.telemetry(1_000_000_000_000_000)])
        #expect(first.opened > 1000 && self.received.outlook.hasHoles)
        let answer = try self.write([try Messages.resent(1, from: 2, to: 1, last: 3)])
        #expect(answer.closed > 1000 && answer.lost == 0)
        #expect(self.received.holes.description == "2-3")
        let next = try self.write(try [2, 3, 4].map { try Messages.telemetry($0) })
        #expect(next.late == 2 && !self.received.outlook.hasHoles)
    }

    @Test("Of several states of a topic the newest is written; an empty one deletes")
    func states() throws {
        func codes(_ mil: Bool) throws -> Message {
            try Messages.message("codes", ["v": 1, "time": .string(Messages.time), "mil": .bool(mil)])
        }
        _ = try self.write([try codes(false), try codes(true)])
        let body = String(decoding: self.tables.content.states["van/codes"]?.body ?? [], as: UTF8.self)
        #expect(body.contains(#""mil":true"#))
        _ = try self.write([Message(topic: try Topic("obd/van/codes"), payload: [])])
        #expect(self.tables.content.states.isEmpty)
    }
}
