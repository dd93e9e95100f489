// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Parking
import Session
import Testing
import Base

@testable import Agent

@Suite("Which 12 V figures are worth a sample")
struct SupplyNewsTests {
    private static func report(
        _ voltage: Double?,
        cranking: Double? = nil,
        resting: Double? = nil,
        trend: Double? = nil
    ) -> ParkingReport {
        ParkingReport(
            ignition: .off,
            isParked: true,
            voltage: voltage,
            lowestCranking: cranking,
            resting: resting,
            trend: trend
        )
    }

    private static func text(_ values: [FieldValue]) -> [String] {
        values.map { value in
            guard case .number(let number) = value.value else { return value.field.name }
            return "\(value.field.name) \((number * 1000).rounded() / 1000) \(value.field.symbol ?? "")"
        }
    }

    @Test("Each figure that is known is told, in its unit, and then when it has changed")
    func told() {
        var news = SupplyNews()
        let start = MonotonicTime(sinceBoot: .seconds(100))
        #expect(news.take(Self.report(nil), at: start).isEmpty)
        #expect(Self.text(news.take(Self.report(12.604), at: start)) == ["supply_voltage 12.6 V"])
        #expect(news.take(Self.report(12.69), at: start + .seconds(45)).isEmpty)
        #expect(Self.text(news.take(Self.report(12.7), at: start + .seconds(90))) == ["supply_voltage 12.7 V"])
        let all = Self.report(12.7, cranking: 9.8, resting: 12.65, trend: -0.0123)
        #expect(
            Self.text(news.take(all, at: start + .seconds(135))) == [
                "supply_voltage_cranking 9.8 V", "supply_voltage_resting 12.65 V", "supply_voltage_trend -0.012 V/d",
            ]
        )
    }

    @Test("A small change is told after ten minutes, and none never")
    func patience() {
        var news = SupplyNews()
        let start = MonotonicTime.zero
        _ = news.take(Self.report(12.6), at: start)
        var told = 0
        for look in 1...80 {
            told += news.take(Self.report(12.62), at: start + .seconds(45 * look)).count
        }
        #expect(told == 1)
        // A night of readings that are never the same twice.
        for look in 81...881 {
            told +=
                news.take(Self.report(look.isMultiple(of: 2) ? 12.62 : 12.58), at: start + .seconds(45 * look)).count
        }
        #expect((50...62).contains(told), "\(told)")
    }
}
