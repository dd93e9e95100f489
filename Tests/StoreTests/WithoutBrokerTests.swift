// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import SQLite
import Store
import TestSupport
import Testing

@Suite("The store of an agent without a broker", .timeLimit(.minutes(10)))
struct WithoutBrokerTests {
    private static func store(_ bench: Bench, hasBroker: Bool = false, limit: Int64 = 8 << 20) -> Store {
        var options = Store.Options(
            agent: "a1b2",
            boot: "boot",
            directory: bench.directory.path,
            limit: limit,
            firstEpoch: 100
        )
        options.hasBroker = hasBroker
        return Store(options)
    }

    private static func count(_ stream: RecordStream, in bench: Bench) throws -> Int64? {
        try Database(bench.path, .readOnly).integer("SELECT count(*) FROM \(stream.rawValue)")
    }

    @Test("Records are kept as the recording, and none waits, on the disk and after a restart")
    func recorded() async throws {
        let bench = try Bench()
        let store = Self.store(bench)
        _ = await store.open(at: .zero)
        for number in 1...5 { await store.append(number, to: number == 3 ? .events : .telemetry) }
        await store.save(draft: 6)
        await store.append(6, to: .telemetry)
        await store.saveLast()
        let status = await store.status
        #expect(status.records == 0 && status.dropped == 0 && status.oldest == nil)
        #expect(try Self.count(.telemetry, in: bench) == 5 && Self.count(.events, in: bench) == 1)
        let next = Self.store(bench)
        _ = await next.open(at: .zero)
        await next.append(7, to: .telemetry)
        await next.saveLast()
        #expect(await next.status.records == 0)
        #expect(try Self.count(.telemetry, in: bench) == 6)
    }

    @Test("What waited for a broker waits no more once none is configured, and with one only new records wait")
    func changed() async throws {
        let bench = try Bench()
        let before = Self.store(bench, hasBroker: true)
        _ = await before.open(at: .zero)
        for number in 1...3 { await before.append(number, to: .events) }
        await before.saveLast()
        #expect(await before.status.records == 3)
        let without = Self.store(bench)
        _ = await without.open(at: .zero)
        await without.append(4, to: .events)
        await without.saveLast()
        #expect(await without.status.records == 0)
        let after = Self.store(bench, hasBroker: true)
        _ = await after.open(at: .zero)
        await after.append(5, to: .events)
        #expect(await after.status.records == 1)
        #expect(await after.drain() == ["e102:1=5"])
        #expect(try Self.count(.events, in: bench) == 4)
    }

    @Test("A full disk drops the oldest records without an alarm")
    func full() async throws {
        let bench = try Bench()
        let store = Self.store(bench, limit: 1 << 20)
        _ = await store.open(at: .zero)
        for number in 1...40 {
            await store.append(number, to: .telemetry, bytes: 50_000)
            await store.save()
        }
        #expect(await store.status.dropped == 0)
        #expect(await store.takeGaps().isEmpty)
        #expect(await store.problem == nil)
        let count = try #require(try Self.count(.telemetry, in: bench))
        #expect(count > 5 && count < 40)
    }
}
