// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import Logging
import OBD2
import Session
import Simulator
import Synchronization

@testable import Agent

extension DayOnTheRoad {
    /// The trips of a vehicle, and the time for which it is observed.
    struct Tour: Sendable {
        var trip: Duration
        /// The time after each trip with the engine off and the ignition on.
        var pause = Duration.seconds(60)
        /// The time after each pause for which the vehicle is parked.
        var parking = Duration.zero
        var duration: Duration

        /// Trips of half an hour, with the ignition on in between.
        static func driving(for duration: Duration) -> Tour { Tour(trip: .seconds(1800), duration: duration) }

        /// Eight trips of an hour, with half an hour between them.
        static let workingDay = Tour(trip: .seconds(3600), parking: .seconds(1740), duration: .seconds(12 * 3600))
    }

    /// Drives, and returns what agents would send of it, each with its own configuration.
    ///
    /// One session reads the vehicle for all of them: it polls what the first configuration needs.
    static func drive(_ tour: Tour, _ configurations: [Configuration]) async throws -> [DayOnTheRoad] {
        guard let first = configurations.first else { return [] }
        let start = MonotonicTime(sinceBoot: .seconds(100))
        let clock = ManualClock(now: start)
        var vehicleOptions = SimulatedVehicle.Options()
        (vehicleOptions.trip, vehicleOptions.pause, vehicleOptions.parking) = (tour.trip, tour.pause, tour.parking)
        let vehicle = SharedVehicle(SimulatedVehicle(vehicleOptions, startedAt: start))
        var adapter = SimulatedAdapter.Options()
        adapter.baudRate = 115_200
        let (clocks, vin) = (Clock(manual: clock), vehicleOptions.vin)
        let polling = DerivedPolling(first.computed, first.trips, first.captures)
        let days = try configurations.map {
            try DayOnTheRoad($0, polling: polling, clock: clocks, vehicle: vehicle, vin: vin)
        }
        let state = Mutex(Result<[DayOnTheRoad], any Error>.success(days))
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let session = Session(
            open: { [adapter] _ in SimulatedLink(vehicle: vehicle, adapter: SimulatedAdapter(adapter), clock: clock) },
            vehicle: VehicleSettings(derived: polling),
            selection: Selection(intervals: first.intervals),
            clock: clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { event in
            // The session does not stop at once.
            guard clock.now - start < tour.duration else { return end.finish() }
            state.withLock { state in
                guard case .success(var days) = state else { return }
                // So that nothing of it is copied.
                state = .success([])
                state = Result {
                    for index in days.indices { try days[index].take(event) }
                    return days
                }
            }
        }
        await withTaskGroup { group in
            group.addTask { await session.run() }
            for await _ in ends {}
            group.cancelAll()
        }
        var driven = try state.withLock { try $0.get() }
        for index in driven.indices { try driven[index].finish(at: start + tour.duration) }
        return driven
    }
}
