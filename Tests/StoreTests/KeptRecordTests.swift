// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

@testable import Store

@Suite("Records that can be published again", .timeLimit(.minutes(10)))
struct KeptRecordTests {
    /// Returns the numbers of the records, those without an acknowledgement with a minus sign.
    private static func numbers(_ kept: KeptRecords) -> [Int] {
        kept.records.map { $0.isAcknowledged ? Int($0.id.seq) : -Int($0.id.seq) }
    }

    @Test("Acknowledged records stay, on the disk and in memory, and waiting ones are told apart")
    func kept() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        for number in 1...4 { await store.append(number, to: .telemetry) }
        for _ in 1...3 { if let record = await store.next() { await store.acknowledge(record.stream, record.id) } }
        await store.save()
        for number in 5...6 { await store.append(number, to: .telemetry) }
        let kept = try await store.kept(.telemetry, epoch: 100, in: 2...1000)
        #expect(Self.numbers(kept) == [2, 3, -4, -5, -6])
        #expect(kept.last == 6 && kept.isOpen && kept.stream == .telemetry)
        #expect(kept.records.allSatisfy { 200...250 ~= $0.size })
        #expect(Self.numbers(try await store.kept(.telemetry, epoch: 100, in: 3...5)) == [3, -4, -5])
        let events = try await store.kept(.events, epoch: 100, in: 1...5)
        #expect(events.records.isEmpty && events.last == 0)
    }

    @Test("The contents of a record are the same again, with its own birth")
    func contents() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        await store.append(1, to: .events)
        let first = try #require(await store.next())
        await store.acknowledge(first.stream, first.id)
        #expect(try await store.kept(.events, first.id) == first)
        await store.save()
        #expect(try await store.kept(.events, first.id) == first)
        let copy = try bench.copy()
        defer { withExtendedLifetime(copy) {} }
        let next = copy.store(boot: "next")
        _ = await next.open(at: .zero)
        let again = try #require(try await next.kept(.events, first.id))
        #expect(again.body == first.body && again.id == first.id && again.birth.start == Bench.start)
    }

    @Test("An earlier epoch has its own last number, and goes on no more")
    func earlierEpoch() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        for number in 1...3 { await store.append(number, to: .telemetry) }
        _ = await store.drain()
        await store.saveLast()
        #expect(await store.previousEpoch == nil)
        // An epoch without a record is not worth a question.
        _ = await bench.store().open(at: .zero)
        let next = bench.store()
        _ = await next.open(at: .zero)
        #expect(await next.previousEpoch == 100)
        await next.append(9, to: .telemetry)
        #expect(await next.previousEpoch == 100)
        let kept = try await next.kept(.telemetry, epoch: 100, in: 1...1000)
        #expect(Self.numbers(kept) == [1, 2, 3] && kept.last == 3 && !kept.isOpen)
        let present = try await next.kept(.telemetry, epoch: 102, in: 1...1000)
        #expect(Self.numbers(present) == [-1] && present.last == 1 && present.isOpen)
        for epoch in [0, 99] as [UInt64] {
            let none = try await next.kept(.telemetry, epoch: epoch, in: 1...1000)
            #expect(none == KeptRecords(.telemetry, [], last: 0, isOpen: false), "\(epoch)")
        }
    }

    @Test(
        "An epoch that has not begun has no records, and none that are missing",
        arguments: [101, RecordID.epochLimit + 1, ResendArguments.largest] as [UInt64]
    )
    func laterEpoch(epoch: UInt64) async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        await #expect(throws: StoreError.notBegun(epoch: epoch, present: 100)) {
            try await store.kept(.telemetry, epoch: epoch, in: 1...1000)
        }
    }

    @Test("The snapshot of the incomplete batch is no record yet")
    func draft() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        await store.append(1, to: .telemetry)
        await store.save(draft: 2)
        let kept = try await store.kept(.telemetry, epoch: 100, in: 1...10)
        #expect(Self.numbers(kept) == [-1] && kept.last == 1)
    }

    @Test("Numbers beyond those that a store can have are not confused with its last ones")
    func largeNumbers() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        await store.append(1, to: .telemetry)
        let large = ResendArguments.largest
        #expect(try await store.kept(.telemetry, epoch: 100, in: large...large + 999).records.isEmpty)
        #expect(try await store.kept(.telemetry, epoch: 99, in: large...large + 999).records.isEmpty)
    }

    @Test("Without a recording only what waits is there")
    func noRecording() async throws {
        let bench = try Bench()
        for store in [bench.store(keepDays: 0), Store(.init(agent: "a1b2", boot: "b", firstEpoch: 100))] {
            _ = await store.open(at: .zero)
            for number in 1...3 { await store.append(number, to: .telemetry) }
            for _ in 1...2 { if let record = await store.next() { await store.acknowledge(record.stream, record.id) } }
            await store.save()
            let kept = try await store.kept(.telemetry, epoch: 100, in: 1...10)
            #expect(Self.numbers(kept) == [-3] && kept.last == 3)
        }
    }

    @Test("Evicted records are gone")
    func evicted() async throws {
        let bench = try Bench()
        let store = bench.store(limit: 1 << 20)
        _ = await store.open(at: .zero)
        for number in 1...40 {
            await store.append(number, to: .telemetry, bytes: 60_000)
            _ = await store.drain()
            await store.save()
        }
        let kept = try await store.kept(.telemetry, epoch: 100, in: 1...1000)
        #expect(kept.last == 40 && kept.records.last?.id.seq == 40)
        #expect(1...30 ~= kept.records.count)
        #expect(try await store.kept(.telemetry, RecordID(epoch: 100, seq: 1)) == nil)
    }

    @Test("A directory without a readable database is an error, not a loss")
    func unreadable() async throws {
        let store = Store(.init(agent: "a1b2", boot: "b", directory: "/proc/nonexistent", firstEpoch: 100))
        _ = await store.open(at: .zero)
        await #expect(throws: StoreError.self) { try await store.kept(.telemetry, epoch: 99, in: 1...10) }
        await #expect(throws: StoreError.self) { try await store.kept(.telemetry, RecordID(epoch: 100, seq: 1)) }
    }

    @Test("The status has the numbers up to which all records of the epoch are acknowledged")
    func acknowledged() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        for number in 1...3 { await store.append(number, to: .telemetry) }
        await store.append(1, to: .events)
        var records: [StoredRecord] = []
        while let record = await store.next() { records.append(record) }
        for record in records where record.id.seq != 2 { await store.acknowledge(record.stream, record.id) }
        #expect(await store.status.epoch == 100)
        #expect(await store.status.acknowledged == [.telemetry: 1, .events: 1])
        for record in records { await store.acknowledge(record.stream, record.id) }
        #expect(await store.status.acknowledged == [.telemetry: 3, .events: 1])
        await store.saveLast()
        let next = bench.store()
        _ = await next.open(at: .zero)
        #expect(await next.status.epoch == 101)
        #expect(await next.status.acknowledged.isEmpty)
    }

    @Test("The bytes of records that were published again survive a restart")
    func traffic() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        let traffic = DayTraffic(date: 20_000, bytes: 500, resent: 70)
        await store.remember(traffic)
        await store.append(1, to: .events)
        await store.save()
        #expect(await bench.store().open(at: .zero).traffic == traffic)
    }
}
