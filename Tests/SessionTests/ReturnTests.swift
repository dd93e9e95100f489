// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import OBD2
import Parking
import Session
import Simulator
import Synchronization
import TestSupport
import Testing

/// Tests of an adapter that loses its power with the ignition, while the voltage never changes.
@Suite("An adapter that comes back", .timeLimit(.minutes(10)))
struct ReturnTests {
    /// The longest time for start-up and the first poll, in seconds, without the wait for the next voltage reading.
    private static let patience = 15.0
    private static let start = 100.0
    private static let voltage = 12.4

    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(sinceBoot: .milliseconds(Int(seconds * 1000)))
    }

    /// A model of a session around the parking machine, reduced to the time that each step takes.
    private struct Model {
        var parking: Parking
        var isQuiet = false
        let isPresent: (Double) -> Bool
        let runs: (Double) -> Bool
        var now = 0.0
        /// The times at which the model read a running engine.
        private(set) var readings: [Double] = []
        /// The times of the contacts in which the model asked the vehicle with the engine off.
        private(set) var contacts: [Double] = []

        init(_ policy: ParkingPolicy, isPresent: @escaping (Double) -> Bool, runs: @escaping (Double) -> Bool) {
            self.parking = Parking(policy)
            (self.isPresent, self.runs) = (isPresent, runs)
        }

        private var time: MonotonicTime { ReturnTests.time(self.now) }

        mutating func run(until end: Double) {
            var wait = 1.0
            while self.now < end {
                let ended: ContactEnd
                switch self.parking.next(at: self.time, isQuiet: self.isQuiet) {
                case .wait(let until):
                    self.now = max(self.now + 0.001, until.sinceBoot.seconds)
                    continue
                case .readVoltage: ended = self.look(until: end)
                case .probe, .connect: ended = self.opens() ? self.converse(until: end) : .adapterUnreachable
                }
                self.parking.contactEnded(ended, at: self.time)
                guard ended == .failed || ended == .adapterUnreachable, !self.parking.isAtRest else {
                    wait = 1
                    continue
                }
                self.now += wait
                wait = min(30, self.parking.policy.voltageInterval.seconds, wait * 2)
            }
        }

        private mutating func opens() -> Bool {
            self.now += 0.3
            return self.isPresent(self.now)
        }

        private mutating func look(until end: Double) -> ContactEnd {
            guard self.opens() else { return .adapterUnreachable }
            if self.parking.adapterReached(at: self.time, isQuiet: self.isQuiet) == .proceed {
                self.now += 1.5
                let readings = [Double](repeating: ReturnTests.voltage, count: 3)
                guard case .probe = self.parking.restingVoltageRead(readings, at: self.time, isQuiet: self.isQuiet)
                else {
                    return .stillParked
                }
            }
            return self.converse(until: end)
        }

        private mutating func converse(until end: Double) -> ContactEnd {
            self.now += 2
            guard self.isPresent(self.now) else { return .failed }
            guard self.parking.adapterStarted(voltage: ReturnTests.voltage, at: self.time, isQuiet: self.isQuiet) else {
                return .stillParked
            }
            if !self.runs(self.now) { self.contacts.append(self.now) }
            self.now += 1
            guard self.runs(self.now) else { return .vehicleSilent(ReturnTests.voltage) }
            self.parking.vehicleConnected(at: self.time)
            while self.now < end {
                self.now += 0.5
                guard self.isPresent(self.now) else { return .failed }
                if case .leave = self.parking.check(at: self.time, isHeld: false) { return .stillParked }
                guard self.runs(self.now) else { return .vehicleSilent(nil) }
                self.parking.signReceived(.engineSpeed(800), from: "engine_speed", at: self.time)
                self.readings.append(self.now)
            }
            return .stillParked
        }
    }

    @Test(
        "A running engine is read soon after the power is back, however long that was away",
        arguments: [10, 30, 60, 120, 300],
        [10, 45, 120]
    )
    func everyAbsence(after: Int, look: Int) {
        let policy = ParkingPolicy(idleLimit: .seconds(after), voltageInterval: .seconds(look))
        for absence in 1...600 {
            let back = Self.start + Double(absence)
            let isThere = { (now: Double) in now < Self.start || now >= back }
            var model = Model(policy, isPresent: isThere, runs: isThere)
            model.run(until: back + Double(look) + 120)
            let delay = model.readings.first { $0 >= back }.map { $0 - back } ?? .infinity
            #expect(delay <= Double(look) + Self.patience, "away for \(absence) s: read after \(delay) s")
            #expect(model.contacts.count <= 2, "away for \(absence) s: \(model.contacts)")
        }
    }

    @Test("An adapter that comes and goes all night does not wake the vehicle all night", arguments: 0..<40)
    func flapping(seed: Int) {
        var numbers = SeededNumbers(UInt64(seed))
        let policy = ParkingPolicy(
            idleLimit: .seconds(Int.random(in: 10...300, using: &numbers)),
            voltageInterval: .seconds(Int.random(in: 10...120, using: &numbers)),
            probesPerHour: .random(in: 1...3, using: &numbers),
            probesPerNight: .random(in: 1...5, using: &numbers)
        )
        let longest = Double.random(in: 2...400, using: &numbers)
        var turns: [Double] = [Self.start]
        while let last = turns.last, last < 45_000 { turns.append(last + .random(in: 1...longest, using: &numbers)) }
        // The engine stops with the first loss.
        let isPresent = { (now: Double) in turns.partitioningIndex { $0 > now }.isMultiple(of: 2) }
        var model = Model(policy, isPresent: isPresent, runs: { $0 < Self.start })
        model.isQuiet = true
        model.run(until: 43_300)
        // Three contacts may pass until the machine sees that the engine has stopped. Each probe may take two.
        let probes = model.contacts.filter { $0 > Self.start + policy.idleLimit.seconds + 1 }
        #expect(model.contacts.count <= 3 + 2 * policy.probesPerNight, "\(policy): \(model.contacts)")
        for time in probes {
            let inAnHour = probes.count { $0 >= time && $0 < time + 3600 }
            #expect(inAnHour <= 2 * policy.probesPerHour, "\(policy): \(model.contacts)")
        }
    }

    /// Runs a session whose adapter is away while the engine is off; returns the time from its return to a sample.
    private static func delay(_ absence: Int, _ policy: ParkingPolicy) async throws -> Duration? {
        let away = Duration.seconds(Int(Self.start))...Duration.seconds(Int(Self.start) + absence)
        var options = SimulatedVehicle.Options()
        options.timetable = Timetable([
            .init(.zero, engineRuns: true, Self.voltage), .init(away.lowerBound, Self.voltage),
            .init(away.upperBound, engineRuns: true, Self.voltage),
        ])
        let clock = Mutex<(clock: ManualClock, start: MonotonicTime)?>(nil)
        let rig = Rig([0x0C: .seconds(1)], vehicle: options, unreachable: away, parking: policy) { _, link in
            guard let (clock, start) = clock.withLock({ $0 }), away.contains(clock.now - start) else { return }
            link.inject(.disconnect)
        }
        let start = rig.clock.now
        clock.withLock { $0 = (rig.clock, start) }
        let log = try await rig.run(for: away.upperBound + policy.voltageInterval + .seconds(60))
        #expect(log.wrong.isEmpty)
        let first = log.samples.first { $0.time - start > away.upperBound }
        return first.map { $0.time - start - away.upperBound }
    }

    @Test("A session does so too", arguments: [(30, 45), (30, 10), (90, 45)])
    func session(after: Int, look: Int) async throws {
        let policy = ParkingPolicy(idleLimit: .seconds(after), voltageInterval: .seconds(look))
        let absences = Array(stride(from: 1, through: 600, by: 37)) + Array((after - 6)...(after + 6))
        for absence in absences {
            let delay = try await Self.delay(absence, policy)
            #expect(
                delay.map { $0 <= policy.voltageInterval + .seconds(15) } == true,
                "away for \(absence) s: read after \(String(describing: delay))"
            )
        }
    }
}

extension [Double] {
    /// Returns the first index from which `isBehind` holds.
    fileprivate func partitioningIndex(_ isBehind: (Double) -> Bool) -> Int {
        var (low, high) = (0, self.count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
