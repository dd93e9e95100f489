// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Parking
import Testing

@Suite("The supply voltage of now")
struct SupplyVoltageTests {
    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(sinceBoot: .milliseconds(Int(seconds * 1000)))
    }

    /// A vehicle of short trips: its ECUs answer from `connection` on, its engine runs 5 s later, and both stop after
    /// 40 s.
    private struct Driver {
        var parking = Parking(ParkingPolicy(minimumVoltage: 0))
        var readings: [Double] = []

        init() {
            _ = self.parking.next(at: .zero, isQuiet: false)
        }

        func volts(_ elapsed: Double) -> Double { elapsed < 3 ? 12.4 : elapsed < 5 ? 10.4 : 14.2 }

        /// Lets the session idle and request as it does, in steps of a tenth of a second, over one trip.
        mutating func drive(at start: Double) {
            _ = self.parking.adapterStarted(voltage: self.volts(0), at: SupplyVoltageTests.time(start), isQuiet: false)
            self.parking.vehicleConnected(at: SupplyVoltageTests.time(start))
            for tenth in 0..<400 {
                let elapsed = Double(tenth) / 10
                let now = SupplyVoltageTests.time(start + elapsed)
                if tenth.isMultiple(of: 10) {
                    self.parking.signReceived(.engineSpeed(elapsed < 5 ? 0 : 800), from: "engine_speed", at: now)
                }
                if self.parking.isVoltageDue(at: now) {
                    self.readings.append(start + elapsed)
                    self.parking.voltageRead(self.volts(elapsed), at: now)
                }
            }
            self.parking.contactEnded(.vehicleSilent(nil), at: SupplyVoltageTests.time(start + 40))
        }
    }

    @Test("A trip of forty seconds has the voltage of the running engine within five seconds, trip after trip")
    func shortTrips() {
        var driver = Driver()
        for trip in 0..<20 {
            let start = Double(trip) * 60
            driver.drive(at: start)
            let report = driver.parking.report
            #expect(report.voltage == 14.2, "trip \(trip)")
            #expect(report.voltageTime.map { $0 >= Self.time(start + 34) } ?? false, "trip \(trip)")
            #expect(report.lowestCranking == 10.4)
        }
    }

    @Test("The voltage follows the start of the engine by a few readings, and each voltage has the time of its reading")
    func engineStart() {
        var driver = Driver()
        driver.drive(at: 0)
        // Readings in a row, then half a minute without one.
        let running = driver.readings.filter { $0 >= 5 }
        #expect(running.prefix(3).allSatisfy { $0 <= 9 } && running.count { $0 < 30 } == 3, "\(running)")
        var parking = Parking(ParkingPolicy(minimumVoltage: 0))
        parking.voltageRead(12.4, at: Self.time(0))
        #expect(parking.report.voltage == 12.4 && parking.report.voltageTime == Self.time(0))
        // A single reading that differs much may be wrong; the next one confirms it.
        parking.voltageRead(14.2, at: Self.time(30))
        #expect(parking.report.voltage == 12.4 && parking.report.voltageTime == Self.time(0))
        parking.voltageRead(14.3, at: Self.time(31))
        #expect(parking.report.voltage == 14.3 && parking.report.voltageTime == Self.time(31))
    }

    @Test("The turning starter is not the voltage of the running engine, although it makes the engine turn")
    func starter() {
        var parking = Parking(ParkingPolicy(minimumVoltage: 0))
        _ = parking.next(at: .zero, isQuiet: false)
        _ = parking.adapterStarted(voltage: 12.4, at: Self.time(0), isQuiet: false)
        parking.vehicleConnected(at: Self.time(0))
        var published: Set<Double> = []
        for tenth in 0..<300 {
            let now = Self.time(Double(tenth) / 10)
            if tenth == 105 { parking.signReceived(.engineSpeed(229), from: "engine_speed", at: now) }
            guard parking.isVoltageDue(at: now) else { continue }
            parking.voltageRead(tenth < 105 ? 12.4 : tenth < 120 ? 10.4 : 14.2, at: now)
            if let voltage = parking.report.voltage { published.insert(voltage) }
        }
        #expect(published == [12.4, 14.2])
    }

    @Test("The turning starter of a parked vehicle is not its voltage either")
    func starterOfParked() {
        var supply = SupplyWatch(ParkingPolicy(minimumVoltage: 0))
        for second in [0.0, 60, 120] {
            #expect(supply.restingVoltageRead([12.5, 12.5, 12.5], at: Self.time(second)) == .steady)
        }
        #expect(supply.restingVoltageRead([10.2, 10.3, 10.4], at: Self.time(180)) == .dipped)
        #expect(supply.measurement?.volts == 12.5 && supply.measurement?.time == Self.time(120))
        #expect(supply.cranking?.volts == 10.2)
        #expect(supply.restingVoltageRead([14.1, 14.2, 14.2], at: Self.time(185)) == .readMore)
        #expect(supply.voltage == 14.2)
    }

    @Test("A reading that is wrong now and then is never the voltage")
    func wrongReadings() {
        var parking = Parking(ParkingPolicy(minimumVoltage: 0))
        for reading in 0..<300 {
            let volts = reading.isMultiple(of: 3) && reading > 0 ? 4.1 : 14.2
            parking.voltageRead(volts, at: Self.time(Double(reading / 3 * 30 + reading % 3)))
            #expect(parking.report.voltage == 14.2, "reading \(reading)")
        }
    }

    @Test("A reconnection takes over the voltage of the adapter's start-up")
    func reconnection() {
        var driver = Driver()
        driver.drive(at: 0)
        _ = driver.parking.adapterStarted(voltage: 12.1, at: Self.time(60), isQuiet: false)
        #expect(driver.parking.report.voltage == 12.1 && driver.parking.report.voltageTime == Self.time(60))
    }
}
