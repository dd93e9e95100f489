// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Parking
import Testing

struct TrafficTests {
    private static func time(_ seconds: Int) -> MonotonicTime { MonotonicTime(sinceBoot: .seconds(1000 + seconds)) }

    /// Returns the rules of a vehicle that was silent at the start.
    private static func parked() -> Parking {
        var parking = Parking(ParkingPolicy())
        _ = parking.next(at: Self.time(0), isQuiet: false)
        parking.contactEnded(.vehicleSilent(nil), at: Self.time(1))
        return parking
    }

    @Test("Silence is no reason for a probe, and the return of traffic is one")
    func transition() {
        var parking = Self.parked()
        let silent = parking.trafficObserved(false, at: Self.time(60), isQuiet: false)
        #expect(silent == nil)
        #expect(parking.isParked)
        let returned = parking.trafficObserved(true, at: Self.time(120), isQuiet: false)
        #expect(returned == .traffic)
        #expect(parking.allowsBus(at: Self.time(121)))
    }

    @Test("A vehicle that sends and is not in use is left alone, and the probes of an hour are counted")
    func budget() {
        var parking = Self.parked()
        var probes = 0
        for minute in 1..<50 {
            // The traffic of a door that opens, every other minute.
            let now = Self.time(60 * minute)
            guard parking.trafficObserved(!minute.isMultiple(of: 2), at: now, isQuiet: false) != nil else { continue }
            probes += 1
            let began = parking.adapterStarted(voltage: nil, at: now, isQuiet: false)
            #expect(began)
            parking.contactEnded(.standing, at: now + .seconds(5))
        }
        #expect(probes == parking.policy.probesPerHour)
    }

    @Test("The traffic that fades after a drive begins no probe of its own")
    func afterDrive() {
        var parking = Self.parked()
        let first = parking.trafficObserved(true, at: Self.time(60), isQuiet: false)
        #expect(first == .traffic)
        let started = parking.adapterStarted(voltage: nil, at: Self.time(60), isQuiet: false)
        #expect(started)
        parking.vehicleConnected(at: Self.time(61))
        parking.contactEnded(.standing, at: Self.time(90))
        let later = parking.trafficObserved(true, at: Self.time(140), isQuiet: false)
        #expect(later == nil)
    }

    /// Returns the rules of a vehicle that was in use, found by its traffic.
    private static func inUse() -> Parking {
        var parking = Self.parked()
        _ = parking.trafficObserved(true, at: Self.time(60), isQuiet: false)
        _ = parking.adapterStarted(voltage: nil, at: Self.time(60), isQuiet: false)
        parking.vehicleConnected(at: Self.time(61))
        return parking
    }

    @Test("A start before the first look at a bus that was found asleep begins a probe")
    func soonAfterSleep() {
        var parking = Self.inUse()
        for second in [100, 122, 164] {
            parking.silenceObserved()
            parking.contactEnded(.vehicleSilent(nil), at: Self.time(second))
        }
        #expect(parking.isParked)
        let started = parking.trafficObserved(true, at: Self.time(200), isQuiet: false)
        #expect(started == .traffic)
    }

    @Test("The traffic after the loss of the interface may be that of another drive, and begins a probe")
    func afterLoss() {
        var parking = Self.inUse()
        parking.contactEnded(.failed, at: Self.time(100))
        for second in stride(from: 101, through: 500, by: 30) {
            parking.contactEnded(.adapterUnreachable, at: Self.time(second))
        }
        #expect(parking.isParked)
        let returned = parking.trafficObserved(true, at: Self.time(510), isQuiet: false)
        #expect(returned == .traffic)
    }
}
