// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Store
import TestSupport
import Testing

@Suite("The event that is still being made", .timeLimit(.minutes(10)))
struct DraftTests {
    private static let context = Store.FlushContext(now: .zero, start: Bench.start)

    private static func complete(_ store: Store, _ number: Int) async {
        await store.append(
            Array("{\"n\":\(number),\"x\":\"\"}".utf8),
            to: .events,
            at: .zero + .milliseconds(number),
            destination: .init(vehicle: "van"),
            isCritical: true,
            endsDraft: true,
            flushing: Self.context
        )
    }

    @Test("After a power cut the next process makes one record of it, with its own birth")
    func powerCut() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        await store.append(1, to: .events)
        await store.keep(Store.draft(7), flushing: Self.context)
        await store.append(2, to: .events)
        #expect(await store.drain(acknowledging: false) == ["e100:1=1", "e100:2=2"])
        let nextCopy = try bench.copy()
        defer { withExtendedLifetime(nextCopy) {} }
        let next = nextCopy.store(boot: "next")
        _ = await next.open(at: .zero)
        await next.append(3, to: .events)
        let record = try #require(await next.next())
        #expect(record.id.seq == 1 && record.id.epoch == 100)
        let draft = try #require(await next.next())
        #expect(draft.id == RecordID(epoch: 101, seq: 1) && draft.isCritical)
        #expect(draft.birth == .init(boot: "boot", at: .zero + .milliseconds(7), start: Bench.start))
        #expect(draft.destination.vehicle == "van")
        #expect(await next.drain() == ["e101:2=3"])
        // No process makes a second record of it.
        await next.save()
        let thirdCopy = try bench.copy()
        defer { withExtendedLifetime(thirdCopy) {} }
        let third = thirdCopy.store(boot: "third")
        _ = await third.open(at: .zero)
        #expect(await third.drain().filter { $0.hasSuffix("=7") }.count == 1)
    }

    @Test("A complete event takes its place in the same transaction, and a later draft that of an earlier one")
    func complete() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        await store.keep(Store.draft(7), flushing: Self.context)
        await store.keep(Store.draft(8), flushing: Self.context)
        let betweenCopy = try bench.copy()
        defer { withExtendedLifetime(betweenCopy) {} }
        let between = betweenCopy.store(boot: "next")
        _ = await between.open(at: .zero)
        #expect(await between.drain() == ["e101:1=8"])
        await Self.complete(store, 9)
        let nextCopy = try bench.copy()
        defer { withExtendedLifetime(nextCopy) {} }
        let next = nextCopy.store(boot: "next")
        _ = await next.open(at: .zero)
        #expect(await next.drain() == ["e100:1=9"])
    }

    @Test("Without a disk the event is recorded once it is complete")
    func memory() async {
        let store = Store(.init(agent: "a", boot: "b", firstEpoch: 5))
        _ = await store.open(at: .zero)
        await store.keep(Store.draft(7), flushing: Self.context)
        #expect(await store.drain().isEmpty)
        await Self.complete(store, 9)
        #expect(await store.drain() == ["e5:1=9"])
    }

    @Test("The numbers of captures of the last day are there after a restart")
    func captures() async throws {
        let bench = try Bench()
        let store = bench.store()
        #expect(await store.open(at: .zero).captures == nil)
        let days = [DayCaptures(date: 1, byRule: ["code": 3, "hot": 1]), DayCaptures(date: 2, byRule: ["code": 1])]
        for captures in days {
            await store.remember(captures)
            await store.keep(Store.draft(1), flushing: Self.context)
            #expect(await bench.store().open(at: .zero).captures == captures)
        }
    }
}
