// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import SQLite
import Store
import Testing

@testable import Store

@Suite("Findings of specialists")
struct FindingTests {
    private static func remember(_ number: Int, of vehicle: String = "van", bytes: Int = 0, in store: Store) async {
        let body = "\(number)" + String(repeating: " ", count: bytes)
        await store.remember(FindingEntry(vehicle: vehicle, at: .zero, body: Array(body.utf8)))
    }

    private static func last(of vehicle: String, in store: Store) async -> Int? {
        await store.lastFinding(of: vehicle).flatMap {
            Int(String(decoding: $0.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
        }
    }

    private static func count(_ bench: Bench, of vehicle: String = "van") throws -> Int64? {
        try Database(bench.path, .readOnly)
            .integer("SELECT count(*) FROM findings WHERE vehicle = ?", [.text(vehicle)])
    }

    @Test("The newest finding of each vehicle is readable before and after the flush, and after a power cut")
    func newest() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        await Self.remember(1, in: store)
        await Self.remember(2, of: "car", in: store)
        #expect(await Self.last(of: "van", in: store) == 1)
        await store.save()
        #expect(await Self.last(of: "van", in: store) == 1)
        await Self.remember(3, in: store)
        #expect(await Self.last(of: "van", in: store) == 3)
        let copy = try bench.copy()
        let cut = copy.store()
        _ = await cut.open(at: .zero)
        #expect(await Self.last(of: "van", in: cut) == 1)
        await store.save()
        let later = try bench.copy()
        let after = later.store()
        _ = await after.open(at: .zero)
        #expect(await Self.last(of: "van", in: after) == 3)
        #expect(await Self.last(of: "car", in: after) == 2)
        #expect(await Self.last(of: "bus", in: after) == nil)
    }

    @Test("A hundred findings of each vehicle are kept, also those that arrived while the disk was not writable")
    func bounds() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        for number in 0..<130 {
            await Self.remember(number, in: store)
            if number.isMultiple(of: 10) { await store.save() }
        }
        await Self.remember(7, of: "car", in: store)
        await store.save()
        #expect(try Self.count(bench) == 100)
        #expect(try Self.count(bench, of: "car") == 1)
        #expect(await Self.last(of: "van", in: store) == 129)
        for number in 0..<300 { await Self.remember(number, in: store) }
        await store.save()
        #expect(try Self.count(bench) == 100)
        for vehicle in 0..<1100 {
            await Self.remember(vehicle, of: "car-\(vehicle)", in: store)
            await store.save()
        }
        #expect(try Database(bench.path, .readOnly).integer("SELECT count(*) FROM findings") == 1000)
    }

    @Test("Findings evict samples, samples evict no findings, and findings leave room for the rest")
    func room() async throws {
        let bench = try Bench()
        let store = bench.store(limit: 1 << 20)
        _ = await store.open(at: .zero)
        await Self.remember(0, in: store)
        for number in 0..<400 {
            await store.append(number, to: .telemetry, bytes: 4000)
            await store.save()
        }
        #expect(await Self.last(of: "van", in: store) == 0)
        for number in 1...100 {
            await Self.remember(number, bytes: 16_000, in: store)
            await store.append(number, to: .events, bytes: 16_000)
            await store.save()
            #expect(await store.problem == nil)
        }
        #expect(await Self.last(of: "van", in: store) == 100)
        let count = try Self.count(bench) ?? 0
        #expect(count >= 15 && count * 16_000 <= 1 << 18)
    }

    @Test("A vehicle is known once it was identified")
    func known() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        #expect(await store.isKnown("van") == false)
        await store.remember(VehicleEntry(name: "van", vin: nil, at: .zero))
        #expect(await store.isKnown("van"))
        await store.save()
        let after = bench.store()
        _ = await after.open(at: .zero)
        #expect(await after.isKnown("van"))
        #expect(await after.isKnown("car") == false)
    }
}
