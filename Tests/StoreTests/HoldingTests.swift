// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

@testable import Store

@Suite("The known vehicles")
struct HoldingTests {
    @Test("Each vehicle has its VIN, the date of its newest value, and the numbers of its records")
    func holdings() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        let early = MonotonicTime(sinceBoot: .seconds(10))
        let late = MonotonicTime(sinceBoot: .seconds(500))
        await store.remember(VehicleEntry(name: "van", vin: "1HGCM82633A004352", at: early))
        await store.remember(VehicleEntry(name: "v-0011223344556677", vin: nil, mark: "mark", at: early))
        for number in 1...3 { await store.append(number, to: .telemetry) }
        await store.append(4, to: .events)
        await store.remember(FindingEntry(vehicle: "van", at: early, body: Array("{}".utf8)))
        var context = Store.FlushContext(now: late, start: Bench.start)
        context.values = [("a", early), ("b", late), ("c", early)].map { series, time in
            LastValue(vehicle: "van", series: series, ecu: "7E8", value: 1, label: nil, unit: nil, at: time)
        }
        await store.flush(context)
        let holdings = try Recording(in: bench.directory.path).holdings()
        #expect(holdings.map(\.vehicle.name) == ["van", "v-0011223344556677"])
        #expect(holdings.map(\.vehicle.vin) == ["1HGCM82633A004352", nil])
        #expect(holdings.map(\.lastSeen) == [late, early].map { Bench.start.date + $0.sinceBoot })
        #expect(holdings.allSatisfy { $0.clock == .synchronised })
        #expect(holdings.map { [$0.batches, $0.events, $0.findings] } == [[3, 1, 1], [0, 0, 0]])
        #expect(await store.mark(of: "v-0011223344556677") == "mark")
    }
}
