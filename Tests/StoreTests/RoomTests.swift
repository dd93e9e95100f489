// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import SQLite
import Store
import TestSupport
import Testing

@Suite("A full store", .timeLimit(.minutes(10)))
struct RoomTests {
    private static let limit: Int64 = 1 << 20

    @Test(
        "The oldest samples are evicted first, then the oldest events, never critical ones; gaps tell the missing numbers"
    )
    func eviction() async throws {
        let bench = try Bench()
        let store = bench.store(limit: Self.limit)
        _ = await store.open(at: .zero)
        var missing: [RecordStream: Set<UInt64>] = [:]
        func note() async {
            for gap in await store.takeGaps() { missing[gap.stream, default: []].formUnion(gap.range) }
        }
        for number in 1...20 { await store.append(number, to: .events, bytes: 2000) }
        for number in 21...25 { await store.append(number, to: .events, isCritical: true) }
        for number in 1...400 {
            await store.append(number, to: .telemetry, bytes: 5000)
            if number % 20 == 0 { await store.save() }
            await note()
        }
        #expect(await store.problem == nil)
        #expect(missing[.events] == nil)
        let telemetry = try #require(missing[.telemetry])
        #expect(telemetry == Set(1...UInt64(telemetry.count)))
        // Now almost all records are events.
        for number in 26...300 {
            await store.append(number, to: .events, bytes: 5000)
            if number % 20 == 0 { await store.save() }
            await note()
        }
        await store.save()
        await note()
        #expect(missing[.telemetry] == Set(1...400))
        let events = try #require(missing[.events])
        #expect(events.isDisjoint(with: 21...25) && events.isSuperset(of: 1...20))
        let size = TextFile.bytes(of: bench.path, limit: 1 << 24)?.count ?? 0
        #expect(size > 0 && size <= Self.limit)
        let left = await store.drain().compactMap { $0.split(separator: "=").last.flatMap { UInt64($0) } }
        #expect(Set(left) == Set(1...300).subtracting(events) && left == left.sorted())
        #expect(await store.status.dropped == 400 + events.count)
        #expect(await store.status.records == 0)
    }

    @Test("Acknowledged records are evicted before the others; records in flight stay")
    func sentFirst() async throws {
        let bench = try Bench()
        let store = bench.store(limit: Self.limit)
        _ = await store.open(at: .zero)
        for number in 1...100 { await store.append(number, to: .telemetry, bytes: 5000) }
        await store.save()
        var flying: [StoredRecord] = []
        for _ in 1...70 {
            guard let record = await store.next() else { break }
            if record.id.seq <= 60 { await store.acknowledge(record.stream, record.id) } else { flying.append(record) }
        }
        for number in 101...160 { await store.append(number, to: .telemetry, bytes: 5000) }
        await store.save()
        #expect(await store.takeGaps().isEmpty)
        for number in 161...300 {
            await store.append(number, to: .telemetry, bytes: 5000)
            if number % 10 == 0 { await store.save() }
        }
        await store.save()
        let gone = await store.takeGaps().flatMap { Array($0.range) }
        #expect(gone.min() == 71 && !gone.isEmpty)
        await store.returnInFlight()
        #expect(await store.drain().prefix(10) == (61...70).map { "t100:\($0)=\($0)" }[...])
    }

    @Test("An acknowledged event is evicted before a waiting sample, unless the event is critical")
    func sentEventsFirst() async throws {
        let bench = try Bench()
        let store = bench.store(limit: Self.limit)
        _ = await store.open(at: .zero)
        for number in 1...60 { await store.append(number, to: .events, bytes: 5000, isCritical: number <= 5) }
        await store.save()
        #expect(await store.drain().count == 60)
        for number in 1...150 {
            await store.append(number, to: .telemetry, bytes: 5000)
            if number % 10 == 0 { await store.save() }
        }
        await store.save()
        #expect(await store.problem == nil)
        #expect(await store.takeGaps().isEmpty)
        #expect(await store.status.records == 150)
        let events = try Database(bench.path, .readOnly)
        #expect(try events.integer("SELECT count(*) FROM events WHERE precious = 1") == 5)
        #expect(try events.integer("SELECT count(*) FROM events WHERE precious = 0").map { $0 < 55 } == true)
    }

    @Test("Without anything to evict, records stay in memory and a problem is reported, until there is room again")
    func full() async throws {
        let bench = try Bench()
        let store = bench.store(limit: Self.limit)
        _ = await store.open(at: .zero)
        for number in 1...300 {
            await store.append(number, to: .responses, bytes: 5000, isCritical: true)
            if number % 10 == 0 { await store.save() }
        }
        #expect(await store.problem?.contains("room") == true)
        #expect(await store.status.records == 300)
        #expect(await store.takeGaps().isEmpty)
        #expect(await store.drain() == (1...300).map { "r100:\($0)=\($0)" })
        await store.append(301, to: .responses)
        await store.save()
        #expect(await store.problem == nil)
        let after = bench.store()
        _ = await after.open(at: .zero)
        #expect(await after.drain() == ["r100:301=301"])
    }

    @Test("In a directory that is not writable, records stay in memory", arguments: ["/proc", "/dev/null"])
    func unwritable(directory: String) async throws {
        let store = Store(.init(agent: "a", boot: "b", directory: directory, firstEpoch: 5))
        #expect(await store.open(at: .zero).problem?.isEmpty == false)
        for number in 1...3 {
            await store.append(number, to: .events)
            await store.save()
        }
        #expect(await store.drain() == ["e5:1=1", "e5:2=2", "e5:3=3"])
        let status = await store.status
        #expect(status.bytes == nil && status.problem != nil)
    }

    @Test("A million waiting samples are read in pages")
    func backlog() async throws {
        let bench = try Bench()
        let store = bench.store(limit: 64 << 20)
        _ = await store.open(at: .zero)
        // Each record has 200 samples.
        for number in 1...5000 {
            await store.append(number, to: .telemetry, bytes: 2000)
            if number % 500 == 0 { await store.save() }
        }
        var last: UInt64 = 0
        while let record = await store.next() {
            #expect(record.id.seq == last + 1)
            last = record.id.seq
            await store.acknowledge(record.stream, record.id)
        }
        #expect(last == 5000)
        #expect(await store.status.records == 0)
    }
}
