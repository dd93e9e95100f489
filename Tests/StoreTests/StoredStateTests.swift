// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Store
import TestSupport
import Testing

@Suite("The states of a vehicle", .timeLimit(.minutes(10)))
struct StoredStateTests {
    private static func state(_ number: Int) -> StoredState {
        StoredState(.trips, Array("{\"t\":\(number)}".utf8))
    }

    private static func end(_ store: Store, in boot: StoredRecord.Birth.Boot? = nil) async {
        await store.append(
            Array("{\"n\":7,\"x\":\"\"}".utf8),
            to: .events,
            at: .zero + .milliseconds(5),
            destination: .init(vehicle: "van"),
            isCritical: true,
            in: boot,
            with: Self.state(2),
            flushing: Store.FlushContext(now: .zero, start: Bench.start)
        )
    }

    @Test("The record of a trip and the state after it are on the disk together, or neither is")
    func together() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        await store.remember(Self.state(1), of: "van")
        #expect(await store.state(.trips, of: "van") == Self.state(1).body)
        #expect(await store.isWritten(.trips, of: "van") == false)
        #expect(await store.isWritten(.trips, of: "car"))
        await store.save()
        #expect(await store.isWritten(.trips, of: "van"))
        let beforeCopy = try bench.copy()
        defer { withExtendedLifetime(beforeCopy) {} }
        let before = beforeCopy.store(boot: "next")
        _ = await before.open(at: .zero)
        #expect(await before.state(.trips, of: "van") == Self.state(1).body)
        #expect(await before.drain().isEmpty)
        await Self.end(store)
        let afterCopy = try bench.copy()
        defer { withExtendedLifetime(afterCopy) {} }
        let after = afterCopy.store(boot: "next")
        _ = await after.open(at: .zero)
        #expect(await after.state(.trips, of: "van") == Self.state(2).body)
        #expect(await after.drain() == ["e100:1=7"])
        #expect(await after.state(.trips, of: "car") == nil)
    }

    @Test("A trip that ended in an earlier boot has its birth there, also once it is read from the disk")
    func earlierBoot() async throws {
        let bench = try Bench()
        do {
            let store = bench.store(boot: "first")
            _ = await store.open(at: .zero)
            await store.remember(Self.state(1), of: "van")
            await store.save()
        }
        let store = bench.store(boot: "second")
        _ = await store.open(at: .zero)
        let boot = StoredRecord.Birth.Boot(id: "first", start: Bench.start)
        await Self.end(store, in: boot)
        let birth = StoredRecord.Birth(boot: "first", at: .zero + .milliseconds(5), start: Bench.start)
        #expect(await store.next()?.birth == birth)
        let thirdCopy = try bench.copy()
        defer { withExtendedLifetime(thirdCopy) {} }
        let third = thirdCopy.store(boot: "third")
        _ = await third.open(at: .zero)
        #expect(await third.next()?.birth == birth)
    }

    @Test("A recording has the stored state")
    func recording() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        await store.remember(Self.state(1), of: "van")
        await store.save()
        #expect(try Recording(in: bench.directory.path).state(.trips, of: "van") == Self.state(1).body)
    }

    @Test("A state of one kind replaces none of another, and is worth a commit")
    func kinds() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        for (number, kind) in StoredState.Kind.allCases.enumerated() {
            await store.remember(StoredState(kind, [0]), of: "van")
            await store.remember(StoredState(kind, [UInt8(number)]), of: "van")
            await store.save()
        }
        let next = bench.store()
        _ = await next.open(at: .zero)
        for (number, kind) in StoredState.Kind.allCases.enumerated() {
            #expect(await next.state(kind, of: "van") == [UInt8(number)])
            #expect(await next.state(kind, of: "car") == nil)
        }
    }
}
