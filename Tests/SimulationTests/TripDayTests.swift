// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import FoundationEssentials
import Simulator
import Testing

@Suite("Trips")
struct TripDayTests {
    /// A trip as a consumer reads it.
    private struct Told: Sendable, CustomStringConvertible {
        let body: JSON
        let end: MonotonicTime

        init?(_ record: JSON, at date: Timestamp, in times: ClosedRange<MonotonicTime>) {
            self.body = record["trip"]
            let candidates = WallClock.errors.map { error in
                MonotonicTime(sinceBoot: .milliseconds(date.milliseconds - error - WallClock.truth))
            }
            guard let end = candidates.first(where: times.contains) else { return nil }
            self.end = end
        }

        var start: MonotonicTime { self.end - .milliseconds(Int64(self.number("duration") ?? 0) * 1000) }

        func number(_ name: String) -> Double? { self.body[name].double }

        var description: String { "\(self.start.sinceBoot) to \(self.end.sinceBoot): \(self.body.text)" }
    }

    /// The trips that the agent has reported, and the true drives of the vehicle.
    private struct Outcome: Sendable {
        var drives: [RandomDay.Drive]
        var told: [Told]
        /// The troubles, with their times.
        var troubles: [(times: ClosedRange<MonotonicTime>, name: String)]
        var verdict: Ledger.Verdict

        var description: String {
            let drives = self.drives.map { "\($0.start.sinceBoot) to \($0.end.sinceBoot): \($0.distance) km" }
            let troubles = self.troubles.map { "\($0.name) \($0.times)" }
            return "drives: \(drives); told: \(self.told); troubles: \(troubles)"
        }
    }

    private static let parking = "look_seconds = 10\nprobes_per_hour = 12\nprobes_per_night = 60\nquiet = \"\""

    private static func outcome(
        of day: RandomDay,
        _ vehicle: SimulatedVehicle.Options,
        where isDriving: @escaping @Sendable (VehicleState) -> Bool
    ) async throws -> Outcome {
        var settings = World.Settings()
        settings.recordsTrips = true
        settings.parking = Self.parking
        settings.vehicle = vehicle
        settings.vehicle.phases = day.phases
        let (verdict, found) = try await World.run(settings) { world in
            let begin = world.time.now
            var troubles: [(times: ClosedRange<MonotonicTime>, name: String)] = []
            try await world.start()
            for event in day.events {
                await world.time.sleep(for: max(.zero, begin + event.start - world.time.now))
                let start = world.time.now
                try await event.trouble.begin(in: world)
                await world.run(for: event.duration)
                try await event.trouble.endOnce(in: world)
                troubles.append((start...world.time.now, "\(event.trouble)"))
            }
            await world.time.sleep(for: max(.zero, begin + day.length - world.time.now))
            // By the end of this time the last trip has ended, and its event has arrived.
            await world.run(for: .seconds(900))
            let times = begin...world.time.now
            let drives = world.withVehicle { RandomDay.drives(of: $0, in: times, where: isDriving) }
            let told = world.ledger.events("trip").compactMap { Told($0.body, at: $0.date, in: times) }
            return (drives, told, troubles)
        }
        return Outcome(drives: found.0, told: found.1, troubles: found.2, verdict: verdict)
    }

    private static func isNear(_ value: Double?, _ truth: Double, within share: Double) -> Bool {
        value.map { abs($0 - truth) <= max(0.011, truth * share) } ?? false
    }

    // MARK: - Tests

    @Test("On random days every trip is told once, and none is invented or split", arguments: 0..<dayCount)
    func days(seed: Int) async throws {
        let day = RandomDay(seed: UInt64(seed), troubles: seed % 4)
        var options = SimulatedVehicle.Options()
        (options.ecus, options.seed) = (1, UInt64(seed) + 100)
        let outcome = try await Self.outcome(of: day, options) { $0.engineRuns }
        #expect(outcome.told.count == outcome.drives.count, "seed \(seed): \(outcome.description)")
        for drive in outcome.drives {
            let told = outcome.told.filter { $0.start <= drive.end && drive.start <= $0.end }
            #expect(told.count == 1, "seed \(seed): \(outcome.description)")
            let times = drive.start - .seconds(60)...drive.end + .seconds(120)
            guard let trip = told.first, !outcome.troubles.contains(where: { $0.times.overlaps(times) }) else {
                continue
            }
            Self.expect(trip, drive, "seed \(seed)")
        }
    }

    /// Compares a trip without troubles with the true drive.
    private static func expect(_ trip: Told, _ drive: RandomDay.Drive, _ comment: String) {
        let unobserved = trip.number("unobserved") ?? 0
        #expect(abs((trip.start - drive.start).seconds) <= 5, "\(comment): \(trip)")
        #expect(abs((trip.end - drive.end).seconds) <= 5, "\(comment): \(trip)")
        #expect(
            Self.isNear(trip.number("distance"), drive.distance, within: 0.01),
            "\(comment): \(drive.distance), \(trip)"
        )
        let fuel = drive.fuel(from: drive.start + .seconds(unobserved))
        #expect(Self.isNear(trip.number("fuel"), fuel, within: 0.03), "\(comment): \(fuel), \(trip)")
    }

    @Test("The energy of an electric car's drive is told within 2 %", arguments: [1, 2])
    func electric(seed: Int) async throws {
        var options = SimulatedVehicle.Options(.electric29Bit)
        options.seed = UInt64(seed)
        let day = RandomDay(seed: UInt64(seed), troubles: 0)
        let outcome = try await Self.outcome(of: day, options) { $0.vehicleSpeed >= 1 }
        #expect(outcome.told.count == outcome.drives.count, "\(outcome.description)")
        for (drive, trip) in zip(outcome.drives, outcome.told) {
            #expect(abs((trip.end - drive.end).seconds) <= 5, "\(trip)")
            #expect(Self.isNear(trip.number("distance"), drive.distance, within: 0.03), "\(drive.distance), \(trip)")
            let energy = drive.energy(from: trip.start)
            #expect(Self.isNear(trip.number("energy"), energy.taken, within: 0.02), "\(energy), \(trip)")
            // Braking lasts a few seconds, and the current is read once a second, so the error is compared with the
            // whole energy.
            let error = abs((trip.number("regenerated") ?? 0) - energy.returned)
            #expect(error <= energy.taken * 0.02, "\(energy), \(trip)")
        }
    }

    @Test(
        "A link or an agent that is away for less than five minutes splits no trip",
        arguments: [Trouble.adapterUnplugged, .agentKilled, .agentRestarted, .powerCut, .clockAhead, .diskFull],
        [30.0, 285]
    )
    func interruption(trouble: Trouble, seconds: Double) async throws {
        let day = RandomDay(
            phases: [
                VehiclePhase(.asleep, .seconds(120)), VehiclePhase(.drive, .seconds(1800)),
                VehiclePhase(.asleep, .seconds(86_400)),
            ],
            events: [.init(trouble: trouble, start: .seconds(700), duration: .seconds(seconds))],
            length: .seconds(2000)
        )
        var options = SimulatedVehicle.Options()
        options.ecus = 1
        let outcome = try await Self.outcome(of: day, options) { $0.engineRuns }
        let trip = try #require(outcome.told.first, "\(outcome.description)")
        #expect(outcome.told.count == 1, "\(outcome.description)")
        #expect(abs((trip.start - outcome.drives[0].start).seconds) <= 5)
        #expect(abs((trip.end - outcome.drives[0].end).seconds) <= 5)
        #expect(
            Self.isNear(trip.number("distance"), outcome.drives[0].distance, within: 0.01),
            "\(outcome.description)"
        )
    }
}

/// The number of random days; `OBD_AGENT_TRIP_DAYS=200` tries more.
private let dayCount = ProcessInfo.processInfo.environment["OBD_AGENT_TRIP_DAYS"].flatMap { Int($0) } ?? 10

extension Trouble {
    /// Ends the trouble; a trouble without duration does not occur again.
    fileprivate func endOnce(in world: World) async throws {
        switch self {
        case .agentKilled, .agentRestarted, .powerCut, .databaseDamaged: break
        default: try await self.end(in: world)
        }
    }
}
