// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Testing

@testable import Collect

@Suite("One agent on the topics of two vehicles")
struct SharedAgentTests {
    private let tables = MemoryTables()

    private func write(_ messages: [Message]) throws -> WriteResult {
        var writer = BatchWriter()
        return try writer.write(
            try Messages.batch(messages),
            to: MemoryDatabase(self.tables),
            at: Messages.now
        ) { _ in }
    }

    private func received(_ vehicle: String, epoch: UInt64 = 7) -> Received {
        let key = StreamKey(agent: "a1", vehicle: vehicle, stream: .telemetry, epoch: epoch)
        return self.tables.content.received[key] ?? Received()
    }

    private func values(_ vehicle: String) -> [Double] {
        let ids = Set(self.tables.content.series.filter { $0.key.vehicle == vehicle }.values)
        return self.tables.content.samples.filter { ids.contains($0.series) }.map(\.value)
    }

    private static func telemetry(_ seq: UInt64, _ value: Int64, of vehicle: String) throws -> Message {
        try Messages.telemetry(
            seq,
            of: vehicle,
            ["x": ["ecu": "7E8", "scale": 1, "dt": [0], "dv": [.integer(value)]]]
        )
    }

    @Test("What another vehicle forges replaces no record, and is told", arguments: [false, true])
    func forgedRecords(isBefore: Bool) throws {
        _ = try self.write(try (1...5).map { try Self.telemetry($0, Int64($0), of: "van") })
        let forged = try (6...10).map { try Self.telemetry($0, 666, of: "thief") }
        let own = try (6...10).map { try Self.telemetry($0, Int64($0), of: "van") }
        let first = try self.write(isBefore ? forged : own)
        let second = try self.write(isBefore ? own : forged)
        #expect(first.duplicates == 0 && second.duplicates == 0)
        #expect(self.values("van").sorted() == (1...10).map(Double.init))
        #expect(self.values("thief") == [Double](repeating: 666, count: 5))
        #expect(first.shared.isEmpty && second.shared == [SharedAgent("a1", "thief", "van")])
        #expect(SharedAgent("a1", "thief", "van").warning.contains("thief and van"))
        // Each has its own gaps.
        #expect(self.received("thief").outlook.hasHoles && !self.received("van").outlook.hasHoles)
    }

    @Test("What another vehicle calls dropped, missing or its last number closes no gap")
    func forgedFacts() throws {
        _ = try self.write(try [1, 2, 4, 5].map { try Self.telemetry($0, 1, of: "van") })
        _ = try self.write([
            try Messages.event(
                1,
                "records_dropped",
                ["stream": "telemetry", "of_epoch": 7, "from": 3, "to": 9_007_199_254_740_990],
                epoch: 99,
                of: "thief"
            ),
            try Messages.resent(1, epoch: 99, from: 1, to: 3, missing: [1...3], last: 3, of: "thief"),
        ])
        #expect(self.received("van").outlook.hasHoles && !self.received("van").outlook.isEndKnown)
        #expect(self.received("van").lost.isEmpty && self.received("van").last == 5)
        let next = try self.write([try Self.telemetry(7, 1, of: "van")])
        #expect(self.received("van").holes.description == "3,6" && next.late == 0)
        #expect(next.shared == [SharedAgent("a1", "thief", "van")])
        let gaps = try MemoryDatabase(self.tables).gaps(limit: 9, at: Messages.now, until: Messages.now)
        #expect(gaps.first { $0.key.vehicle == "van" }?.value.holes.description == "3,6")
    }

    @Test("An agent that moves into another vehicle goes on counting, and leaves no gap there or here")
    func move() throws {
        _ = try self.write(try [1, 2, 3].map { try Self.telemetry($0, 1, of: "van") })
        _ = try self.write(try [4, 6].map { try Self.telemetry($0, 1, of: "truck") })
        #expect(self.received("truck").outlook.hasHoles && !self.received("van").outlook.hasHoles)
        let gaps = try MemoryDatabase(self.tables).incomplete(limit: 9)
        #expect(MissingRecords(gaps) == MissingRecords(gaps.filter { $0.key.vehicle == "truck" }))
        #expect(MissingRecords(gaps).records == 1 && MissingRecords(gaps).streams == 1)
        // The agent starts again; it is asked in the truck for what it had recorded in the van.
        let result = try self.write([
            try Messages.resent(1, epoch: 8, from: 5, to: 7, missing: [5...5], last: 7, of: "truck"),
            try Self.telemetry(7, 1, of: "van"),
        ])
        #expect(result.shared.isEmpty)
        for vehicle in ["van", "truck"] {
            #expect(!self.received(vehicle).outlook.hasHoles && self.received(vehicle).outlook.isEndKnown, "\(vehicle)")
        }
        #expect(!self.received("van").isEnded)
    }

    @Test("Events of two vehicles with one number are two rows")
    func events() throws {
        _ = try self.write([
            try Messages.event(1, "started"), try Messages.event(1, "started", of: "copy"),
        ])
        #expect(self.tables.content.rows[.events]?.count == 2)
        #expect(CollectTable.events.key == ["agent", "epoch", "seq", "vehicle"])
    }

    @Test("A report of an epoch that has not begun says nothing")
    func laterEpoch() throws {
        _ = try self.write([
            try Messages.resent(1, epoch: 7, asked: 8, from: 1, to: 10, missing: [1...10], last: 10),
            try Messages.resent(2, epoch: 7, asked: 1 << 52, from: 1, to: 10, missing: [1...10], last: 10),
        ])
        #expect(self.tables.content.received.keys.allSatisfy { $0.epoch == 7 })
    }

    @Test("Statuses in turn on two topics are told; a move, and a retained status of long ago, are not")
    func alternation() {
        var directory = AgentDirectory()
        func heard(_ vehicle: String, _ seconds: Int) -> SharedAgent? {
            directory.presenceChanged(.agent(vehicle, agent: "a1", since: Messages.now + .seconds(seconds)))
        }
        for (vehicle, seconds) in [("van", 0), ("van", 60), ("truck", 200), ("van", 60), ("truck", 260), ("van", 7000)]
        {
            #expect(heard(vehicle, seconds) == nil)
        }
        // A test drive, and back.
        #expect(heard("truck", 7060) == nil)
        #expect(heard("van", 20_000) == nil && heard("truck", 20_060) == nil)
        #expect(heard("van", 20_120) == SharedAgent("a1", "truck", "van"))
        var told = SharedAgents()
        let first = told.insert(SharedAgent("a1", "truck", "van"))
        let second = told.insert(SharedAgent("a1", "truck", "bus"))
        #expect(first && !second && told.count == 1)
    }
}
