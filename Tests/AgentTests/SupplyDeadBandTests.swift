// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import Parking
import Session
import Testing

@testable import Agent

@Suite("The dead band of the 12 V figures")
struct SupplyDeadBandTests {
    private static func report(
        _ voltage: Double?,
        cranking: Double? = nil,
        resting: Double? = nil,
        trend: Double? = nil,
        isParked: Bool = true,
        at time: MonotonicTime? = nil
    ) -> ParkingReport {
        ParkingReport(
            ignition: .off,
            isParked: isParked,
            voltage: voltage,
            voltageTime: time,
            lowestCranking: cranking,
            resting: resting,
            trend: trend
        )
    }

    private static func text(_ figures: [SupplyDeadBand.Figure]) -> [String] {
        figures.map { figure in
            let field = figure.value.field
            return "\(field.name) \((figure.volts * 1000).rounded() / 1000) \(field.symbol ?? "")"
        }
    }

    @Test("Each known figure is published in its unit, and again when it has changed")
    func thresholds() {
        var deadBand = SupplyDeadBand()
        let start = MonotonicTime(sinceBoot: .seconds(100))
        #expect(deadBand.changes(in: Self.report(nil), at: start).isEmpty)
        #expect(Self.text(deadBand.changes(in: Self.report(12.604), at: start)) == ["supply_voltage 12.6 V"])
        #expect(deadBand.changes(in: Self.report(12.69), at: start + .seconds(45)).isEmpty)
        #expect(
            Self.text(deadBand.changes(in: Self.report(12.7), at: start + .seconds(90))) == ["supply_voltage 12.7 V"]
        )
        let all = Self.report(12.7, cranking: 9.8, resting: 12.65, trend: -0.0123)
        #expect(
            Self.text(deadBand.changes(in: all, at: start + .seconds(135))) == [
                "supply_voltage_cranking 9.8 V", "supply_voltage_resting 12.65 V", "supply_voltage_trend -0.012 V/d",
            ]
        )
    }

    @Test("A small change is published after ten minutes, and an unchanged figure never again")
    func maximumAge() {
        var deadBand = SupplyDeadBand()
        let start = MonotonicTime.zero
        _ = deadBand.changes(in: Self.report(12.6), at: start)
        var published = 0
        for look in 1...80 {
            published += deadBand.changes(in: Self.report(12.62), at: start + .seconds(45 * look)).count
        }
        #expect(published == 1)
        // A night of readings that are never the same twice.
        for look in 81...881 {
            published +=
                deadBand.changes(
                    in: Self.report(look.isMultiple(of: 2) ? 12.62 : 12.58),
                    at: start + .seconds(45 * look)
                ).count
        }
        #expect((50...62).contains(published), "\(published)")
    }

    @Test("A voltage has the time of its measurement, and is shown again with the time at which it was measured again")
    func measurementTime() {
        var deadBand = SupplyDeadBand()
        let start = MonotonicTime(sinceBoot: .seconds(100))
        let figures = deadBand.changes(
            in: Self.report(14.2, isParked: false, at: start),
            at: start + .seconds(300)
        )
        #expect(figures.map(\.time) == [start])
        // A report about something else has the same measurement.
        #expect(deadBand.repetition(in: Self.report(14.2, isParked: false, at: start)) == nil)
        let later = start + .seconds(32)
        #expect(deadBand.changes(in: Self.report(14.2, isParked: false, at: later), at: later).isEmpty)
        let again = deadBand.repetition(in: Self.report(14.2, isParked: false, at: later))
        #expect(again?.value == .voltage && again?.time == later)
        #expect(again.map { abs($0.volts - 14.2) < 1e-9 } == true)
        #expect(deadBand.repetition(in: Self.report(14.2, isParked: false, at: later)) == nil)
    }

    @Test("The voltage of a parked vehicle is shown again every ten minutes, although it has not changed")
    func parked() {
        var deadBand = SupplyDeadBand()
        let start = MonotonicTime(sinceBoot: .seconds(100))
        _ = deadBand.changes(in: Self.report(12.6, at: start), at: start)
        let shown = (1...80).compactMap { look -> Duration? in
            let now = start + .seconds(45 * look)
            return deadBand.repetition(in: Self.report(12.6, at: now)).map { $0.time - start }
        }
        #expect(shown == [.seconds(630), .seconds(1260), .seconds(1890), .seconds(2520), .seconds(3150)])
    }
}
