// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Parking
import Testing

/// Vehicles that drive without an engine speed, hybrids, and charges.
@Suite("The use of electric cars and hybrids")
struct PowertrainTests {
    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(sinceBoot: .milliseconds(Int(seconds * 1000)))
    }

    /// The readings of one moment of a drive, a stop or a charge.
    private struct Moment {
        var signs: [UseSign] = []
        var changes = false
        var volts: Double? = 14.2
    }

    /// A vehicle in use since the time 0.
    private static func inUse(_ policy: ParkingPolicy = ParkingPolicy(idleLimit: .seconds(30))) -> Parking {
        var parking = Parking(policy)
        _ = parking.next(at: .zero, isQuiet: false)
        _ = parking.adapterStarted(voltage: 14.2, at: .zero, isQuiet: false)
        parking.vehicleConnected(at: .zero)
        return parking
    }

    /// Lets a moment repeat every 10 s, and returns the time at which the vehicle is parked; nil if it is not.
    private static func run(
        _ parking: inout Parking,
        from start: Double,
        for seconds: Double,
        _ moment: Moment
    ) -> Double? {
        for now in stride(from: start, to: start + seconds, by: 10) {
            guard parking.check(at: Self.time(now), isHeld: false) == .proceed else { return now }
            if moment.changes { parking.valueChanged(at: Self.time(now)) }
            for sign in moment.signs { parking.signReceived(sign, from: sign.name, at: Self.time(now)) }
            if let volts = moment.volts { parking.voltageRead(volts, at: Self.time(now)) }
        }
        return nil
    }

    @Test(
        "A drive of twenty minutes is not cut off, whatever shows it",
        arguments: [
            [.engineSpeed(800), .vehicleSpeed(0)], [.engineSpeed(0), .vehicleSpeed(90)], [.vehicleSpeed(30)],
            [.vehicleSpeed(-3)], [.engineSpeed(0), .vehicleSpeed(0), .ready(true)], [.ready(true), .charging(false)],
            [.ready(true), .charging(true)],
        ] as [[UseSign]]
    )
    func drive(signs: [UseSign]) {
        var parking = Self.inUse()
        #expect(Self.run(&parking, from: 0, for: 1200, Moment(signs: signs)) == nil)
        #expect(parking.report.ignition == .running && !parking.isLimited && !parking.report.isEvidenceThin)
        let end = Self.run(&parking, from: 1200, for: 600, Moment(signs: signs.map(\.unset), volts: 12.6))
        #expect(end.map { 1220...1240 ~= $0 } ?? false)
        #expect(parking.isParked)
    }

    @Test(
        "A hybrid that stands with its engine off stays in use while its converter carries the load, a quarter of an hour",
        arguments: [(14.4, true, nil, 900.0), (14.4, false, nil, 0), (12.6, true, nil, 0), (14.4, true, false, 0)]
            as [(Double, Bool, Bool?, Double)]
    )
    func standing(volts: Double, drivesElectrically: Bool, ready: Bool?, longer: Double) {
        var parking = Self.inUse()
        parking.vehicleMapped(hasSignOfDriving: true, drivesElectrically: drivesElectrically)
        #expect(Self.run(&parking, from: 0, for: 600, Moment(signs: [.engineSpeed(0), .vehicleSpeed(50)])) == nil)
        let signs: [UseSign] = [.engineSpeed(0), .vehicleSpeed(0)] + (ready.map { [.ready($0)] } ?? [])
        let end = Self.run(&parking, from: 600, for: 3600, Moment(signs: signs, volts: volts))
        // The last sign of the drive came at 590, and the vehicle is in use for 30 s after it. The voltage is confirmed by the next reading.
        #expect(end.map { 590 + longer...690 + longer ~= $0 } ?? false, "\(end.debugDescription)")
        #expect(parking.isParked)
    }

    @Test("Without any sign of a drive, changing values count, and so does the voltage once it has shown both states")
    func thin() {
        var parking = Self.inUse()
        parking.vehicleMapped(hasSignOfDriving: false, drivesElectrically: true)
        #expect(Self.run(&parking, from: 0, for: 1200, Moment(changes: true)) == nil)
        #expect(parking.report.ignition == .running && parking.report.isEvidenceThin)
        #expect(parking.report.evidence == [.supplyVoltage, .changingValues])
        // Values still change, but the battery carries the load: the car is locked, and its ECUs are awake.
        let locked = Moment(changes: true, volts: 12.6)
        let end = Self.run(&parking, from: 1200, for: 600, locked)
        #expect(end.map { $0 <= 1290 } ?? false)
    }

    @Test("A car whose adapter always reports the same voltage is parked once its values stand still")
    func constantVoltage() {
        var parking = Self.inUse()
        #expect(Self.run(&parking, from: 0, for: 600, Moment(changes: true, volts: 12.3)) == nil)
        let end = Self.run(&parking, from: 600, for: 600, Moment(volts: 12.3))
        #expect(end.map { $0 <= 730 } ?? false)
    }

    @Test("While a vehicle is charged, only the short list is read, for as long as the charge lasts")
    func charge() {
        var parking = Self.inUse()
        #expect(Self.run(&parking, from: 0, for: 60, Moment(signs: [.vehicleSpeed(50), .charging(false)])) == nil)
        let charging = Moment(signs: [.vehicleSpeed(0), .charging(true)])
        #expect(Self.run(&parking, from: 60, for: 36_000, charging) == nil)
        #expect(parking.report.ignition == .charging && parking.isLimited && !parking.isParked)
        let full = Moment(signs: [.vehicleSpeed(0), .charging(false)])
        let end = Self.run(&parking, from: 36_060, for: 600, full)
        #expect(end.map { $0 <= 36_100 } ?? false)
    }

    @Test("A charge ends when the converter no longer carries the load, and when the ECUs fall silent")
    func chargeEnds() {
        let charging = Moment(signs: [.charging(true)])
        var parking = Self.inUse()
        #expect(Self.run(&parking, from: 0, for: 600, charging) == nil)
        let drained = Moment(signs: [.charging(true)], volts: 12.4)
        let end = Self.run(&parking, from: 600, for: 600, drained)
        #expect(end.map { $0 <= 690 } ?? false)

        var silent = Self.inUse()
        #expect(Self.run(&silent, from: 0, for: 600, charging) == nil)
        silent.contactEnded(.vehicleSilent(nil), at: Self.time(600))
        silent.contactEnded(.vehicleSilent(nil), at: Self.time(620))
        #expect(silent.isParked)
    }

    @Test("A vehicle that is unplugged and drives off is read in full again")
    func driveOff() {
        var parking = Self.inUse()
        #expect(Self.run(&parking, from: 0, for: 600, Moment(signs: [.charging(true), .ready(false)])) == nil)
        #expect(parking.isLimited)
        #expect(Self.run(&parking, from: 600, for: 10, Moment(signs: [.charging(false), .ready(true)])) == nil)
        #expect(!parking.isLimited && parking.report.ignition == .running)
    }

    @Test("During a charge the signs are due as often as the short list, in a drive every 30 s")
    func signsDue() {
        var parking = Self.inUse(ParkingPolicy(idleLimit: .seconds(300), chargingInterval: .seconds(120)))
        let (speed, charging) = (UseSign.Source(.vehicleSpeed, "vehicle_speed"), UseSign.Source(.charging, "charging"))
        parking.signReceived(.vehicleSpeed(3), from: "vehicle_speed", at: .zero)
        #expect(
            !parking.isSignDue(speed, at: Self.time(29)) && parking.isSignDue(speed, at: Self.time(30))
        )
        parking.signReceived(.vehicleSpeed(0), from: "vehicle_speed", at: Self.time(40))
        parking.signReceived(.charging(true), from: "charging", at: Self.time(40))
        #expect(!parking.isSignDue(charging, at: Self.time(159)) && parking.isSignDue(charging, at: Self.time(160)))
        // Another source of the same kind is due by itself.
        #expect(parking.isSignDue(UseSign.Source(.charging, "charging_dc"), at: Self.time(159)))
    }

    @Test(
        "A sign of a drive or of a charge that is no longer answered keeps no vehicle in use",
        arguments: [true, false]
    )
    func staleSign(isDrive: Bool) {
        var parking = Self.inUse()
        parking.voltageRead(14.2, at: .zero)
        for name in ["ready", "charging"] {
            let sign = name == "ready" ? UseSign.ready(isDrive) : .charging(!isDrive)
            parking.signReceived(sign, from: name, at: .zero)
        }
        #expect(parking.report.ignition == (isDrive ? .running : .charging))
        // Other values change all the time.
        let end = Self.run(&parking, from: 10, for: 3600, Moment(changes: true, volts: 12.5))
        #expect(end.map { $0 <= 300 } ?? false, "\(end.debugDescription)")
        #expect(parking.isParked)
    }

    @Test("A charge at a supply voltage that is too low ends, with readings half a minute apart")
    func lowDuringCharge() {
        var parking = Self.inUse(ParkingPolicy())
        var end: Double?
        for now in stride(from: 0.0, to: 3600, by: 30) where end == nil {
            guard parking.check(at: Self.time(now), isHeld: false) == .proceed else {
                end = now
                break
            }
            parking.signReceived(.charging(true), from: "charging", at: Self.time(now))
            parking.voltageRead(11.0, at: Self.time(now))
        }
        #expect(end.map { $0 <= 180 } ?? false, "\(end.debugDescription)")
    }

    @Test("A charge in which no value changes for half a day is no charge")
    func stuckCharge() {
        var parking = Self.inUse()
        let hours = { (count: Double) in count * 3600 }
        #expect(Self.run(&parking, from: 0, for: hours(11), Moment(signs: [.charging(true)], volts: nil)) == nil)
        parking.valueChanged(at: Self.time(hours(11)))
        #expect(
            Self.run(&parking, from: hours(11), for: hours(11), Moment(signs: [.charging(true)], volts: nil)) == nil
        )
        let end = Self.run(&parking, from: hours(22), for: hours(11), Moment(signs: [.charging(true)], volts: nil))
        #expect(end.map { $0 >= hours(23) && $0 <= hours(23) + 120 } ?? false, "\(end.debugDescription)")
    }
}

extension UseSign {
    fileprivate var name: String {
        switch self {
        case .engineSpeed: "engine_speed"
        case .vehicleSpeed: "vehicle_speed"
        case .ready: "ready"
        case .charging: "charging"
        }
    }

    /// The same sign of a vehicle that is switched off.
    fileprivate var unset: UseSign {
        switch self {
        case .engineSpeed: .engineSpeed(0)
        case .vehicleSpeed: .vehicleSpeed(0)
        case .ready: .ready(false)
        case .charging: .charging(false)
        }
    }
}
