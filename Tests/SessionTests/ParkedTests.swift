// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Parking
import Session
import Simulator
import Testing

/// Tests of whole sessions with vehicles that are parked and driven, and that count the requests to them.
@Suite("A vehicle that is parked", .timeLimit(.minutes(10)))
struct ParkedTests {
    /// The intervals of the polled parameters.
    private static let intervals: [ParameterKey: Duration] = [0x0C: .seconds(10), 0x05: .seconds(30)]
    /// The longest time for which the session may still poll until it notices that the ignition is off.
    private static let noticing = Duration.seconds(90)

    /// The outcome of a session over a timetable.
    private struct Outcome {
        var log: EventLog.Contents
        var requests: RequestCount
        var awake: Duration
        /// The times from each start of the engine to the first sample.
        var delays: [Duration] = []
        /// The times of the requests with the ignition off, without those in the time of ``noticing``.
        ///
        /// Requests less than 60 s apart count as one.
        var probes: [Duration] = []
        /// The number of changes to the parked state.
        var parked = 0
    }

    private static func run(
        _ entries: [Timetable.Entry],
        for duration: Duration,
        awakening: Duration = .zero,
        adapter: SimulatedAdapter.Options = SimulatedAdapter.Options(),
        unreachable: ClosedRange<Duration>? = nil
    ) async throws -> Outcome {
        var options = SimulatedVehicle.Options()
        options.timetable = Timetable(entries)
        options.gatewayWakeTime = awakening
        let rig = Rig(
            Self.intervals,
            vehicle: options,
            adapter: adapter,
            unreachable: unreachable,
            parking: ParkingPolicy()
        )
        let start = rig.clock.now
        let log = try await rig.run(for: duration)
        let (requests, awake) = rig.log.vehicle.withVehicle { ($0.requests, $0.gatewayAwakeTime) }
        var outcome = Outcome(log: log, requests: requests, awake: awake)
        var engineRan = false
        var offs: [Duration] = []
        for (before, entry) in zip([nil] + entries.map(Optional.some), entries) {
            if entry.engineRuns, !engineRan, entry.time < duration {
                let first = log.samples.first { $0.time - start > entry.time && $0.value.field.name == "engine_speed" }
                outcome.delays.append(first.map { $0.time - start - entry.time } ?? .seconds(1_000_000))
            }
            if before?.ignition == true, !entry.ignition { offs.append(entry.time) }
            engineRan = entry.engineRuns
        }
        for time in requests.ignitionOffTimes.map({ $0 - start }) {
            guard !offs.contains(where: { $0 <= time && time < $0 + Self.noticing }) else { continue }
            if outcome.probes.last.map({ time - $0 > .seconds(60) }) ?? true { outcome.probes.append(time) }
        }
        outcome.parked = zip(log.parkings, log.parkings.dropFirst()).count { !$0.isParked && $1.isParked }
        return outcome
    }

    /// Returns a drive: the cranking, the running engine, and the battery that settles afterward.
    private static func drive(
        at start: Duration,
        for duration: Duration,
        running: Double = 14.2,
        noise: Double = 0.1,
        resting: Double = 12.6,
        restingNoise: Double = 0.03,
        cranking: Duration = .milliseconds(800)
    ) -> [Timetable.Entry] {
        let end = start + duration
        return [
            .init(start - cranking, ignition: true, 10.2, noise: 0.2),
            .init(start, engineRuns: true, running, noise: noise),
            .init(end, resting + 0.3, noise: restingNoise),
            .init(end + .seconds(60), resting + 0.2, noise: restingNoise),
            .init(end + .seconds(900), resting + 0.1, noise: restingNoise),
            .init(end + .seconds(2700), resting, noise: restingNoise),
        ]
    }

    private static let hour = Duration.seconds(3600)

    @Test("A week of two drives a day: nothing is asked while it is parked, and all drives are seen within a minute")
    func week() async throws {
        var entries: [Timetable.Entry] = [.init(.zero, 12.6, noise: 0.03)]
        for day in 0..<7 {
            let midnight = Self.hour * (24 * day)
            entries += Self.drive(at: midnight + Self.hour * 8 + .seconds(17 * day), for: .seconds(1500))
            entries += Self.drive(at: midnight + Self.hour * 17 + .seconds(11 * day), for: .seconds(1200))
        }
        let outcome = try await Self.run(entries, for: Self.hour * 24 * 7)
        #expect(
            outcome.delays.count == 14 && outcome.delays.dropFirst().allSatisfy { $0 <= .seconds(60) },
            "\(outcome.delays)"
        )
        // Before the first drive the session cannot interpret the voltage, so it may probe.
        let before = outcome.probes.filter { $0 < Self.hour * 8 }
        #expect(before.count <= 9 && before.count == outcome.probes.count, "\(outcome.probes)")
        #expect(outcome.parked == 14)
        #expect(outcome.log.wrong.isEmpty)
        #expect(outcome.log.parkings.allSatisfy { !$0.isBatteryLow })
    }

    @Test("An alternator that hardly charges: asked once an hour, and seen within that")
    func smartAlternator() async throws {
        let entries =
            [.init(.zero, 12.4, noise: 0.2)]
            + (1...4).flatMap { number in
                Self.drive(
                    at: Self.hour * (number * 6),
                    for: .seconds(5400),
                    running: 12.6,
                    noise: 0.2,
                    resting: 12.4,
                    restingNoise: 0.1
                )
            }
        let outcome = try await Self.run(entries, for: Self.hour * 30)
        #expect(outcome.delays.count == 4 && outcome.delays.allSatisfy { $0 <= .seconds(3660) }, "\(outcome.delays)")
        for time in outcome.probes { #expect(outcome.probes.count { $0 >= time && $0 < time + Self.hour } <= 2) }
        // The vehicle never counts as parked in the middle of a drive.
        #expect(outcome.parked == 4)
    }

    @Test("A noisy voltage of a resting battery is neither a change nor a low battery")
    func noisyRest() async throws {
        let entries =
            [.init(.zero, 12.4, noise: 0.2)]
            + Self.drive(at: .seconds(600), for: .seconds(900), resting: 12.4, restingNoise: 0.2)
        let outcome = try await Self.run(entries, for: Self.hour * 48)
        #expect(outcome.probes.allSatisfy { $0 < .seconds(600) }, "\(outcome.probes)")
        #expect(outcome.parked == 1 && outcome.log.parkings.allSatisfy { !$0.isBatteryLow })
    }

    @Test("A long cranking in the cold is not disturbed, and the engine is seen within a minute")
    func longCranking() async throws {
        let entries =
            [.init(.zero, 12.4)] + Self.drive(at: .seconds(600), for: .seconds(900), resting: 12.3)
            + [.init(Self.hour * 10 - .seconds(60), ignition: true, 8.7, noise: 0.3)]
            + Self.drive(at: Self.hour * 10, for: .seconds(900), resting: 12.3, cranking: .milliseconds(800))
        let outcome = try await Self.run(entries, for: Self.hour * 11)
        #expect(outcome.delays.count == 2 && outcome.delays[1] <= .seconds(60), "\(outcome.delays)")
        #expect(outcome.probes.allSatisfy { $0 < .seconds(600) }, "\(outcome.probes)")
        #expect((8.4...9).contains(outcome.log.parkings.compactMap(\.lowestCranking).min() ?? 0))
    }

    @Test("Traffic with an engine that stops at each light is one drive")
    func stopAndGo() async throws {
        var entries = Self.drive(at: .seconds(2), for: .seconds(60))
        entries.removeLast(4)
        for number in 1...60 {
            let start = Duration.seconds(60 * number)
            entries.append(.init(start, ignition: true, 12.3, noise: 0.1))
            entries.append(.init(start + .seconds(25), ignition: true, 10.6, noise: 0.2))
            entries.append(.init(start + .seconds(26), engineRuns: true, 14.1, noise: 0.2))
        }
        let outcome = try await Self.run(entries, for: .seconds(3600))
        #expect(outcome.parked == 0 && outcome.requests.ignitionOff == 0)
        #expect(outcome.log.states.count { if case .connected = $0 { true } else { false } } == 1)
    }

    @Test("A battery that is changed is one appearance, and one probe")
    func batterySwap() async throws {
        let entries =
            [.init(.zero, 12.6)] + Self.drive(at: .seconds(60), for: .seconds(900), resting: 11.8)
            + [.init(Self.hour * 5, 12.9)]
        let outcome = try await Self.run(
            entries,
            for: Self.hour * 8,
            unreachable: Self.hour * 4...Self.hour * 5
        )
        #expect(outcome.probes.filter { $0 > .seconds(960) }.count == 1, "\(outcome.probes)")
        #expect(outcome.delays.count == 1 && outcome.delays[0] <= .seconds(60), "\(outcome.delays)")
        let lows = zip(outcome.log.parkings, outcome.log.parkings.dropFirst())
        #expect(lows.count { !$0.isBatteryLow && $1.isBatteryLow } == 1)
    }

    @Test("A vehicle that answers whoever asks is parked all the same, and sleeps", arguments: [60, 1200])
    func gateway(seconds: Int) async throws {
        let awakening = Duration.seconds(seconds)
        let entries =
            [.init(.zero, 12.6)] + Self.drive(at: .seconds(60), for: .seconds(900))
            + Self.drive(at: Self.hour * 12, for: .seconds(900))
        let outcome = try await Self.run(entries, for: Self.hour * 20, awakening: awakening)
        #expect(outcome.delays.count == 2 && outcome.delays.allSatisfy { $0 <= .seconds(60) }, "\(outcome.delays)")
        // The session polls for five minutes after each drive, while the ECUs answer, and never after that.
        let late = outcome.requests.ignitionOffTimes.map { $0.sinceBoot - .seconds(100) }
            .filter { ($0 > .seconds(1300) && $0 < Self.hour * 12) || $0 > Self.hour * 12 + .seconds(1300) }
        #expect(late.isEmpty, "\(late.count), first \(late.prefix(3))")
        #expect(outcome.awake <= (.seconds(330) + awakening) * 3)
    }

    @Test("An adapter that can sleep sleeps between two looks", arguments: [nil, "STN2120 v5.1.2"])
    func adapterSleeps(firmware: String?) async throws {
        var adapter = SimulatedAdapter.Options()
        adapter.firmware = firmware
        let entries =
            [.init(.zero, 12.6)] + Self.drive(at: .seconds(60), for: .seconds(600))
            + Self.drive(at: Self.hour * 3, for: .seconds(600))
        let outcome = try await Self.run(entries, for: Self.hour * 4, adapter: adapter)
        let sleeps = outcome.log.lines.count { $0 == (firmware == nil ? "ATLP" : "STSLEEP") }
        #expect(sleeps > 150, "\(sleeps)")
        #expect(outcome.delays.allSatisfy { $0 <= .seconds(60) }, "\(outcome.delays)")
    }
}
