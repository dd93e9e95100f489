// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Parking
import TestSupport
import Testing

@Suite("Parking")
struct ParkingTests {
    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(sinceBoot: .milliseconds(Int(seconds * 1000)))
    }

    /// Returns the machine of a vehicle that was driven until ten minutes before `seconds`, and is parked now.
    private static func parked(at seconds: Double = 1000, _ policy: ParkingPolicy = ParkingPolicy()) -> Parking {
        var parking = Parking(policy)
        let start = Self.time(seconds - 600)
        _ = parking.next(at: start, isQuiet: false)
        _ = parking.adapterStarted(voltage: 14.2, at: start, isQuiet: false)
        parking.vehicleConnected(at: start)
        parking.signReceived(.engineSpeed(800), from: "engine_speed", at: start)
        parking.voltageRead(14.2, at: start)
        parking.signReceived(.engineSpeed(0), from: "engine_speed", at: start + .seconds(1))
        _ = parking.check(at: Self.time(seconds), isHeld: false)
        return parking
    }

    /// Runs the machine of a parked vehicle for `seconds`, at a voltage that depends on the time; returns its probes.
    private static func look(
        _ parking: inout Parking,
        from start: Double,
        for seconds: Double,
        isQuiet: Bool = false,
        _ volts: (Double) -> Double
    ) -> [(seconds: Double, reason: ProbeReason)] {
        var probes: [(Double, ProbeReason)] = []
        var now = start
        while now < start + seconds {
            switch parking.next(at: Self.time(now), isQuiet: isQuiet) {
            case .wait(let until): now = until.sinceBoot.seconds
            case .connect: return probes
            case .probe(let reason):
                probes.append((now, reason))
                _ = parking.adapterStarted(voltage: volts(now), at: Self.time(now), isQuiet: isQuiet)
                parking.contactEnded(.vehicleSilent(volts(now)), at: Self.time(now))
            case .readVoltage:
                var readings = (0..<3).map { volts(now + Double($0) / 2) }
                var action = parking.restingVoltageRead(readings, at: Self.time(now), isQuiet: isQuiet)
                if action == .readMore {
                    readings += (3..<9).map { volts(now + Double($0) / 2) }
                    action = parking.restingVoltageRead(readings, at: Self.time(now), isQuiet: isQuiet)
                }
                if case .probe(let reason) = action {
                    probes.append((now, reason))
                    _ = parking.adapterStarted(voltage: volts(now), at: Self.time(now), isQuiet: isQuiet)
                    parking.contactEnded(.vehicleSilent(volts(now)), at: Self.time(now))
                } else {
                    parking.contactEnded(.stillParked, at: Self.time(now))
                }
            }
        }
        return probes
    }

    @Test("The agent's start earns one probe, whose silence is asked about once more")
    func start() {
        var parking = Parking(ParkingPolicy())
        let probes = Self.look(&parking, from: 0, for: 3000) { _ in 12.6 }
        #expect(probes.map(\.reason) == [.start, .start] && probes[1].seconds == 20)
        #expect(parking.isParked && parking.ignition.state == .off)
    }

    @Test("Who dies every ten seconds has no more probes than who lives; a running engine gives them back")
    func restarts() {
        for (isQuiet, expected) in [(false, [0.0, 10, 3600, 3610, 7200, 7210]), (true, [0.0, 10, 3600, 3610])] {
            var record = ProbeRecord()
            var probes: [Double] = []
            for start in stride(from: 0.0, to: 10_000, by: 10) {
                var parking = Parking(ParkingPolicy(), probes: record)
                probes += Self.look(&parking, from: start, for: 10, isQuiet: isQuiet) { _ in 12.6 }.map(\.seconds)
                record = parking.probes
            }
            #expect(probes == expected)
        }
        var spent = Parking(ParkingPolicy(), probes: ProbeRecord(spent: [Self.time(10)], spentInNight: 1))
        #expect(spent.next(at: Self.time(20), isQuiet: false) == .probe(.start))
        #expect(spent.adapterStarted(voltage: 14.1, at: Self.time(20), isQuiet: true) && spent.probes.spent.count == 2)
        spent.vehicleConnected(at: Self.time(21))
        spent.signReceived(.engineSpeed(800), from: "engine_speed", at: Self.time(22))
        #expect(spent.probes == ProbeRecord())
    }

    @Test("Noise at rest is no change, whether it is quick or slow")
    func noise() {
        var generator = SeededNumbers(3)
        var parking = Self.parked()
        let quick = Self.look(&parking, from: 1000, for: 86_400) { _ in
            Double.random(in: 12.2...12.6, using: &generator)
        }
        #expect(quick.isEmpty)
    }

    @Test("A lasting change of half a volt is probed at the next look, and once")
    func change() {
        var generator = SeededNumbers(4)
        for step in [0.5, -0.5] {
            var parking = Self.parked()
            let probes = Self.look(&parking, from: 1000, for: 40_000) { now in
                Double.random(in: 12.9...13.1, using: &generator) + (now > 20_000 ? step : 0)
            }
            #expect(probes.map(\.reason) == [.voltageChange])
            #expect(probes.allSatisfy { 20_000...20_046 ~= $0.seconds })
        }
    }

    @Test("Nobody is asked while the starter turns, and at the next look after it")
    func cranking() {
        var parking = Self.parked()
        let probes = Self.look(&parking, from: 1000, for: 8000) { now in
            now < 5000 ? 12.4 : now < 5060 ? 8.9 : 14.1
        }
        #expect(probes.count == 1 && 5060...5066 ~= probes[0].seconds)
        #expect(parking.report.lowestCranking == 8.9)
    }

    @Test("Below the limit nothing is asked until it has recovered")
    func low() {
        var parking = Self.parked()
        let probes = Self.look(&parking, from: 1000, for: 20_000) { now in
            now < 9000 ? 11.9 : now < 15_000 ? 11.4 : 12.1
        }
        #expect(probes.isEmpty && parking.ignition.supply.isLow)
        let refusal = parking.wakeRequested(for: .seconds(60), at: Self.time(21_000), isQuiet: false)
        #expect(refusal == .tooLow(12.1))
        let recovered = Self.look(&parking, from: 21_000, for: 1000) { _ in 14.0 }
        #expect(recovered.map(\.reason) == [.voltageChange])
    }

    @Test("Where the voltage tells nothing, there is a probe an hour, and none in the night")
    func blind() {
        var parking = Parking(ParkingPolicy())
        let day = Self.look(&parking, from: 0, for: 36_000) { _ in 12.6 }
        #expect(day.count { $0.reason == .interval } == 9)
        let night = Self.look(&parking, from: 36_000, for: 36_000, isQuiet: true) { _ in 12.6 }
        #expect(night.isEmpty)
    }

    @Test("A vehicle that was driven, and whose battery rests far below, is never asked without a sign")
    func telling() {
        var parking = Self.parked()
        let probes = Self.look(&parking, from: 1000, for: 14 * 86_400) { 12.6 - ($0 - 1000) / 86_400 * 0.03 }
        #expect(probes.isEmpty)
        #expect(parking.ignition.supply.showsIgnition)
        #expect(parking.ignition.supply.trend.map { abs($0 + 0.03) < 0.005 } == true)
    }

    @Test(
        "A hybrid or an electric car that was left alone at the level of a converter is probed by the clock",
        arguments: [true, false]
    )
    func atConverterLevel(drivesElectrically: Bool) {
        var parking = Self.parked()
        parking.vehicleMapped(hasSignOfDriving: true, drivesElectrically: drivesElectrically)
        #expect(Self.look(&parking, from: 1000, for: 7200) { _ in 12.6 }.isEmpty)
        #expect(parking.ignition.supply.showsIgnition)
        let reasons = Self.look(&parking, from: 8200, for: 7200) { _ in 14.3 }.map(\.reason)
        #expect(reasons.first == .voltageChange)
        #expect(reasons.contains(.interval) == drivesElectrically, "\(reasons)")
    }

    @Test("A battery that flaps about the limit is low once")
    func flapping() {
        var generator = SeededNumbers(5)
        var parking = Self.parked(ParkingPolicy(minimumVoltage: 12.4))
        var events = 0
        var isLow = false
        for day in 0..<10 {
            _ = Self.look(&parking, from: 1000 + Double(day) * 3600, for: 3600) { _ in
                Double.random(in: 12.2...12.6, using: &generator)
            }
            if parking.ignition.supply.isLow, !isLow { events += 1 }
            isLow = parking.ignition.supply.isLow
        }
        #expect(events == 1)
    }

    @Test("Waking spends a probe, and is refused when there is none; it holds for a quarter of an hour at most")
    func wake() {
        var parking = Self.parked()
        for number in 0..<2 {
            let now = Self.time(2000 + Double(number) * 1000)
            let action = parking.wakeRequested(for: .seconds(9999), at: now, isQuiet: true)
            let next = parking.next(at: now, isQuiet: true)
            let mayAsk = parking.adapterStarted(voltage: 12.6, at: now, isQuiet: true)
            #expect(action == .probe && next == .probe(.wakeCommand) && mayAsk)
            parking.vehicleConnected(at: now)
            #expect(parking.allowsBus(at: now + .seconds(899)) && !parking.allowsBus(at: now + .seconds(900)))
            let held = parking.check(at: now + .seconds(900), isHeld: true)
            let free = parking.check(at: now + .seconds(900), isHeld: false)
            #expect(held == .proceed && free == .leave)
        }
        let refusal = parking.wakeRequested(for: .seconds(60), at: Self.time(4000), isQuiet: true)
        #expect(refusal == .noProbeLeft)
    }

    @Test("An adapter that was away earns a probe when it appears")
    func appearance() {
        var parking = Self.parked()
        parking.contactEnded(.adapterUnreachable, at: Self.time(2000))
        let soon = parking.adapterReached(at: Self.time(2030), isQuiet: false)
        parking.contactEnded(.adapterUnreachable, at: Self.time(3000))
        let late = parking.adapterReached(at: Self.time(3100), isQuiet: false)
        #expect(soon == .proceed && late == .probe)
        #expect(parking.allowsBus(at: Self.time(3100)))
    }

    @Test("No sequence of inputs lets anybody use the bus of a parked vehicle without a probe", arguments: 0..<400)
    func property(seed: Int) {
        var generator = SeededNumbers(UInt64(seed))
        let policy = ParkingPolicy(
            probesPerHour: .random(in: 0...3, using: &generator),
            probesPerNight: .random(in: 0...3, using: &generator)
        )
        var parking = Parking(policy)
        var judge = Judge(policy)
        var now = 1000.0
        for _ in 0..<3000 {
            now +=
                Bool.random(using: &generator)
                ? .random(in: 0...3, using: &generator)
                : .random(in: 0...900, using: &generator)
            let time = Self.time(now)
            let isQuiet = Int(now / 20_000).isMultiple(of: 2)
            let volts = Double.random(in: 10...15, using: &generator)
            switch Int.random(in: 0..<13, using: &generator) {
            case 0...2: judge.next(parking.next(at: time, isQuiet: isQuiet), now)
            case 3: judge.looked(parking.restingVoltageRead([volts, volts, volts], at: time, isQuiet: isQuiet), now)
            case 4: judge.reached(parking.adapterReached(at: time, isQuiet: isQuiet), now)
            case 5:
                let wasAllowed = parking.adapterStarted(voltage: volts, at: time, isQuiet: isQuiet)
                judge.began(wasAllowed, volts, now, isQuiet: isQuiet)
            case 6: if judge.mayConnect(now) { parking.vehicleConnected(at: time); judge.connected(now) }
            case 7:
                guard judge.isConnected else { break }
                let isSet = Bool.random(using: &generator)
                let signs: [UseSign] = [
                    .engineSpeed(isSet ? 900 : 0), .vehicleSpeed(isSet ? 30 : 0), .ready(isSet), .charging(isSet),
                ]
                switch Int.random(in: 0...signs.count, using: &generator) {
                case signs.count:
                    parking.valueChanged(at: time)
                    if parking.report.ignition == .running { judge.heard(true, isDriving: true, now) }
                    if parking.report.ignition == .on { judge.stands(now) }
                case let index:
                    parking.signReceived(signs[index], from: "sign \(index)", at: time)
                    let ignition = parking.report.ignition
                    if ignition == .on { judge.stands(now) }
                    // A sign that is not set changes nothing, but other signs may still be set.
                    judge.heard(ignition == .running || ignition == .charging, isDriving: ignition == .running, now)
                }
            case 8:
                guard judge.isConnected else { break }
                parking.voltageRead(volts, at: time)
                // The voltage may show a drive in a vehicle without any sign.
                let report = parking.report
                if report.ignition == .running, report.evidence.contains(.changingValues) {
                    judge.heard(true, isDriving: true, now)
                }
            case 9:
                let end: ContactEnd =
                    [.vehicleSilent(volts), .standing, .adapterUnreachable, .failed, .voltageTooLow, .stillParked]
                    .randomElement(using: &generator) ?? .stillParked
                parking.contactEnded(end, at: time)
                judge.ended(end)
            case 10:
                judge.isElectric = Bool.random(using: &generator)
                parking.vehicleMapped(hasSignOfDriving: true, drivesElectrically: judge.isElectric)
            case 11:
                judge.woken(
                    parking.wakeRequested(for: .seconds(600), at: time, isQuiet: isQuiet),
                    now,
                    isQuiet: isQuiet
                )
            default:
                if case .leave = parking.check(at: time, isHeld: false) { judge.left() }
            }
            if parking.allowsBus(at: time) { #expect(judge.allows(now), "seed \(seed), \(now)") }
            #expect(judge.isWithinBudget(now), "seed \(seed), \(now)")
        }
    }

    /// A second implementation of the rules, with another state than the machine.
    private struct Judge {
        let policy: ParkingPolicy
        var isConnected = false
        /// The end of the time in which the vehicle may be in use, and requests are allowed.
        var end = -Double.infinity
        var probeEnd = -Double.infinity
        var hasBegun = false
        /// Whether the next probe repeats the last one, and so is not counted against the budget.
        var repeats = false
        var reason: ProbeReason?
        var spent: [Double] = []
        /// Whether the vehicle may be ready to drive off while nothing turns, and its last drive.
        var isElectric = false
        var lastDrive = -Double.infinity

        init(_ policy: ParkingPolicy) { self.policy = policy }

        mutating func next(_ action: Parking.NextAction, _ now: Double) {
            switch action {
            case .probe(let reason): self.begin(reason, now)
            case .connect: #expect(now < self.end)
            case .readVoltage: self.left()
            case .wait: break
            }
        }

        mutating func looked(_ action: Parking.VoltageAction, _ now: Double) {
            if case .probe(let reason) = action { self.begin(reason, now) }
        }

        mutating func reached(_ action: Parking.ReachedAction, _ now: Double) {
            if action == .probe { self.begin(.appearance, now) }
        }

        private mutating func begin(_ reason: ProbeReason, _ now: Double) {
            self.left()
            (self.reason, self.probeEnd, self.hasBegun) = (reason, now + 180, false)
        }

        mutating func began(_ isAllowed: Bool, _ volts: Double, _ now: Double, isQuiet: Bool) {
            guard isAllowed, now < self.probeEnd else { return }
            #expect(volts >= self.policy.minimumVoltage)
            if !self.hasBegun, !self.repeats { self.spent.append(now) }
            self.hasBegun = true
        }

        func mayConnect(_ now: Double) -> Bool { now < self.end || self.hasBegun && now < self.probeEnd }

        mutating func connected(_ now: Double) {
            self.isConnected = true
            self.repeats = false
            if self.probeEnd > now { (self.end, self.lastDrive) = (max(self.end, now + 900), now) }
            self.probeEnd = -.infinity
        }

        mutating func heard(_ isUsed: Bool, isDriving: Bool, _ now: Double) {
            guard isUsed else { return }
            self.end = max(self.end, now + 300)
            if isDriving { (self.spent, self.lastDrive) = ([], now) }
        }

        /// An electric car or a hybrid stands, and may be ready for a quarter of an hour after its last drive.
        mutating func stands(_ now: Double) {
            if self.isElectric, now < self.lastDrive + 900 { self.end = max(self.end, now + 300) }
        }

        mutating func ended(_ end: ContactEnd) {
            if case .vehicleSilent = end, self.hasBegun, self.reason == .start || self.reason == .appearance {
                self.repeats.toggle()
            } else if self.hasBegun {
                self.repeats = false
            }
            self.isConnected = false
            self.probeEnd = -.infinity
            self.hasBegun = false
        }

        mutating func woken(_ action: Parking.WakeAction, _ now: Double, isQuiet: Bool) {
            if case .held(let until) = action { self.end = max(self.end, until.sinceBoot.seconds) }
        }

        mutating func left() { (self.isConnected, self.end, self.probeEnd) = (false, -.infinity, -.infinity) }

        func allows(_ now: Double) -> Bool { now < self.end || now < self.probeEnd }

        func isWithinBudget(_ now: Double) -> Bool {
            self.spent.count { now - $0 < 3600 } <= self.policy.probesPerHour
        }
    }
}
