// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import Contract
import Drive
import ELM327
import OBD2
import Parking
import Session
import Store
import Testing
import Uplink

@testable import Agent

@Suite("Trips, as they are published")
struct TripWatchTests {
    private static let engine = ECUAddress.can11(0x7E8)
    private static let parked = ParkingReport(ignition: .off, isParked: true)

    private static func watch(_ trips: Configuration.Trips = .init(), showsPlace: Bool = true) -> TripWatch {
        TripWatch(trips, showsPlace: showsPlace, clock: StandingClock(), boot: "boot")
    }

    /// Drives for some seconds at 72 km/h, and returns the actions.
    private static func drive(
        _ watch: inout TripWatch,
        _ seconds: ClosedRange<Int>,
        offset: Duration = .zero
    ) throws -> [DriveAction] {
        try seconds.flatMap { second -> [DriveAction] in
            let time = MonotonicTime(sinceBoot: .seconds(second) + offset)
            let values = try [(0x0C, [0x1A, 0xF8]), (0x0D, [72])].flatMap { pid, bytes in
                try #require(Parameter.withPID(PID(rawValue: pid))).decode(bytes)
            }
            // The speed of another ECU does not count beside that of the engine's.
            var samples = values.map { Sample(value: $0, ecu: Self.engine, time: time) }
            samples.append(Sample(value: values[1], ecu: .can11(0x7EA), time: time + .milliseconds(400)))
            let flow = Reading("fuel_flow", 6, "L/h", at: time)
            return watch.samplesReceived(samples, primary: Self.engine, computed: [flow])
        }
    }

    /// Gives a watch what an earlier one has left, 10 s after its last reading.
    private static func restore(
        _ watch: inout TripWatch,
        _ body: [UInt8]?,
        shared: (Coordinate) -> Coordinate? = { $0 }
    ) -> [DriveAction] {
        watch.restore(body, at: MonotonicTime(sinceBoot: .seconds(1210)), shared: shared)
    }

    private static func states(_ actions: [DriveAction]) -> [TripState] {
        actions.compactMap { if case .showTrip(let state, _) = $0 { state } else { nil } }
    }

    private static func events(_ actions: [DriveAction]) -> [(event: AgentEvent, memory: [UInt8])] {
        actions.compactMap {
            if case .recordChange(let event, _, _, let state) = $0 { (event, state.body) } else { nil }
        }
    }

    /// Returns the states as they are published once the disk has all that was kept.
    private static func published(_ actions: [DriveAction]) -> [TripState] {
        actions.compactMap { action in
            guard case .showTrip(var state, let stored) = action else { return nil }
            if let stored { state.totals = TripState.Totals(stored) }
            return state
        }
    }

    @Test("A trip is told each second, stored each minute, and recorded at its end with the state after it")
    func trip() throws {
        var watch = Self.watch()
        let driving = try Self.drive(&watch, 1000...1200)
        #expect(Self.states(driving).count > 190 && Self.states(driving).allSatisfy(\.ongoing))
        #expect(driving.count { if case .remember = $0 { true } else { false } } == 4)
        let ended = watch.parkingChanged(to: Self.parked)
        let record = try #require(Self.events(ended).first)
        let trip = try #require(record.event.trip)
        #expect(record.event.event == .trip && record.event.event.isCritical)
        #expect(trip.duration == 200 && trip.distance == 4 && trip.distanceSource == "speed")
        #expect(trip.fuel == 0.333 && trip.fuelSource == "fuel_flow" && trip.start.time == nil)
        let state = try #require(Self.published(ended).last)
        #expect(!state.ongoing && state.totals.trips == 1 && state.totals.distance == 4 && state.totals.fuel == 0.333)
        #expect(state.trip.start.time == Timestamp(milliseconds: 1_000_000))
        #expect(PresentTrip(stored: record.memory) == nil)
    }

    @Test("The totals that are told are those that the disk has; those of another vehicle change nothing")
    func totals() throws {
        var watch = Self.watch()
        let driving = try Self.drive(&watch, 1000...1200)
        // The disk takes nothing.
        #expect(Self.states(driving).allSatisfy { $0.totals.distance == 0 && $0.totals.fuel == nil })
        #expect(Self.states(driving).last?.trip.distance == 4)
        guard case .showTrip(_, let stored?)? = driving.last else { return #expect(Bool(false)) }
        #expect(stored.distance > 3 && stored.distance < 4)
        watch.totalsWritten(stored)
        let later = try #require(Self.states(try Self.drive(&watch, 1201...1203)).last)
        #expect(later.totals == TripState.Totals(stored))
        // A power cut takes nothing back.
        guard case .remember(let state)? = driving.last(where: { if case .remember = $0 { true } else { false } })
        else {
            return #expect(Bool(false))
        }
        var next = Self.watch()
        #expect(Self.states(Self.restore(&next, state.body)).last?.totals == later.totals)
        _ = next.vehicleChanged()
        next.totalsWritten(stored)
        #expect(Self.states(try Self.drive(&next, 2000...2200)).last?.totals.distance == 0)
    }

    @Test("The place of a trip that goes on is told only where the position is; that of its end in any case")
    func presentPlace() throws {
        let place = try #require(Coordinate(latitude: 48.1, longitude: 11.5))
        for showsPlace in [true, false] {
            var watch = Self.watch(showsPlace: showsPlace)
            watch.placeReceived(place, at: MonotonicTime(sinceBoot: .seconds(999)))
            _ = try Self.drive(&watch, 1000...1200)
            watch.placeReceived(place, at: MonotonicTime(sinceBoot: .seconds(1200)))
            let driving = try #require(Self.states(try Self.drive(&watch, 1201...1202)).last)
            #expect(driving.ongoing && driving.trip.start.latitude == 48.1)
            #expect(driving.trip.end.latitude == (showsPlace ? 48.1 : nil))
            #expect(driving.trip.end.longitude == (showsPlace ? 11.5 : nil))
            let ended = try #require(Self.states(watch.parkingChanged(to: Self.parked)).last)
            #expect(!ended.ongoing && ended.trip.end.latitude == 48.1)
        }
    }

    @Test("The state that is kept has the trip that goes on, and the next process begins with it")
    func restored() throws {
        var watch = Self.watch()
        _ = try Self.drive(&watch, 1000...1200)
        guard case .remember(let state)? = watch.stopping().first else { return #expect(Bool(false)) }
        #expect(state.kind == .trips)
        let present = try #require(PresentTrip(stored: state.body))
        #expect(present.report.duration == 200 && present.end == Timestamp(milliseconds: 1_200_000))
        var next = Self.watch()
        let published = Self.restore(&next, state.body)
        #expect(Self.states(published).map(\.ongoing) == [true])
        _ = try Self.drive(&next, 1230...1400)
        let ended = next.parkingChanged(to: Self.parked)
        #expect(Self.events(ended).compactMap(\.event.trip?.duration) == [400])
    }

    @Test("The event, the topic and the stored trip lead to the same start, to the millisecond")
    func oneStart() throws {
        var watch = Self.watch()
        let driving = try Self.drive(&watch, 1000...1200, offset: .microseconds(437_612))
        let start = Timestamp(milliseconds: 1_000_437)
        #expect(Set(Self.states(driving).map(\.trip.start.time)) == [start])
        guard case .remember(let state)? = watch.stopping().first else { return #expect(Bool(false)) }
        let present = try #require(PresentTrip(stored: state.body))
        #expect(TripRow.start(of: try JSON(encoding: present.report), end: present.end) == start)
        _ = try Self.drive(&watch, 1201...1203, offset: .microseconds(651_433))
        let ended = watch.parkingChanged(to: Self.parked)
        guard case .recordChange(let event, let time?, _, _)? = ended.first else { return #expect(Bool(false)) }
        let end = StandingClock().timestamp(of: time)
        #expect(TripRow.start(of: try JSON(encoding: event.trip), end: end) == start)
        #expect(event.trip?.duration == 203.214)
    }

    @Test("Places that an earlier process has stored are published only as the present configuration allows")
    func places() throws {
        let home = try #require(Coordinate(latitude: 52.52, longitude: 13.4))
        let work = try #require(Coordinate(latitude: 48.1, longitude: 11.5))
        var watch = Self.watch()
        watch.placeReceived(home, at: MonotonicTime(sinceBoot: .seconds(999)))
        _ = try Self.drive(&watch, 1000...1200)
        watch.placeReceived(work, at: MonotonicTime(sinceBoot: .seconds(1200)))
        guard case .remember(let present)? = watch.stopping().first else { return #expect(Bool(false)) }
        let last = try #require(Self.events(watch.parkingChanged(to: Self.parked)).first?.memory)
        for (body, isOpen) in [(present.body, true), (last, false)] {
            var full = Self.watch()
            let told = try #require(Self.states(Self.restore(&full, body)).last)
            #expect(told.ongoing == isOpen && told.trip.start.latitude == 52.52 && told.trip.end.latitude == 48.1)

            // In place of the zone around one of them.
            var next = Self.watch()
            let published = Self.restore(&next, body) { $0 == home ? nil : $0.coarse }
            let state = try #require(Self.states(published).last)
            #expect(state.trip.start.latitude == nil && state.trip.start.longitude == nil)
            #expect(state.trip.end.latitude == 48.105)
            guard isOpen else { continue }
            let ended = next.parkingChanged(to: .init(ignition: .off, isParked: true))
            let trip = try #require(Self.events(ended + next.vehicleChanged()).first?.event.trip)
            #expect(trip.start.latitude == nil && trip.end.latitude == 48.105)
        }
    }

    @Test("Another vehicle begins with nothing, and the trip of the former one is recorded")
    func vehicle() throws {
        var watch = Self.watch()
        _ = try Self.drive(&watch, 1000...1200)
        #expect(Self.events(watch.vehicleChanged()).count == 1)
        #expect(Self.states(watch.timePassed(to: MonotonicTime(sinceBoot: .seconds(1300)))).isEmpty)
    }

    @Test("Trips that are switched off are not recorded, and nothing is polled for them")
    func disabled() throws {
        var watch = Self.watch(.init(isEnabled: false))
        #expect(try Self.drive(&watch, 1000...1200).isEmpty)
        #expect(watch.parkingChanged(to: Self.parked).isEmpty && watch.stopping().isEmpty)
        #expect(Self.states(Self.restore(&watch, nil)).isEmpty)
        let computed = Configuration.Computed()
        #expect(DerivedPolling(computed, .init(isEnabled: false), []).watched.isEmpty)
        #expect(DerivedPolling(computed, .init(), []).watched["vehicle_speed"] == .seconds(1))
    }

    @Test("A trip that goes on when trips are switched off is recorded, and the topic is emptied")
    func switchedOff() throws {
        var watch = Self.watch()
        _ = try Self.drive(&watch, 1000...1200)
        guard case .remember(let state)? = watch.stopping().first else { return #expect(Bool(false)) }
        var next = Self.watch(.init(isEnabled: false))
        let actions = Self.restore(&next, state.body)
        let record = try #require(Self.events(actions).first)
        #expect(record.event.trip?.duration == 200 && PresentTrip(stored: record.memory) == nil)
        #expect(Self.states(actions).isEmpty && Self.withdrawals(actions) == 1)
        // The trip was recorded once, and its distance counts if trips are switched on again.
        var later = Self.watch(.init(isEnabled: false))
        let again = Self.restore(&later, record.memory)
        #expect(Self.events(again).isEmpty && Self.withdrawals(again) == 1)
        var enabled = Self.watch()
        let shown = try #require(Self.states(Self.restore(&enabled, record.memory)).last)
        #expect(!shown.ongoing && shown.totals.trips == 1 && shown.totals.distance == 4)
    }

    private static func withdrawals(_ actions: [DriveAction]) -> Int {
        actions.count { if case .update(.trip, .withdrawn) = $0 { true } else { false } }
    }
}
