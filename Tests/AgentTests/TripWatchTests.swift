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

    private static func watch(_ trips: Configuration.Trips = .init()) -> TripWatch {
        TripWatch(trips, clock: StandingClock(), boot: "boot")
    }

    /// Drives for some seconds at 72 km/h, and returns the actions.
    private static func drive(_ watch: inout TripWatch, _ seconds: ClosedRange<Int>) throws -> [DriveAction] {
        try seconds.flatMap { second -> [DriveAction] in
            let time = MonotonicTime(sinceBoot: .seconds(second))
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

    private static func states(_ actions: [DriveAction]) -> [TripState] {
        actions.compactMap { if case .update(.trip, .trip(let state)) = $0 { state } else { nil } }
    }

    private static func events(_ actions: [DriveAction]) -> [(event: AgentEvent, memory: [UInt8])] {
        actions.compactMap {
            if case .recordChange(let event, _, _, let state) = $0 { (event, state.body) } else { nil }
        }
    }

    @Test("A trip is published each minute, and recorded at its end with the state after it")
    func trip() throws {
        var watch = Self.watch()
        let driving = try Self.drive(&watch, 1000...1200)
        #expect(Self.states(driving).map(\.ongoing) == [true, true, true, true])
        let ended = watch.parkingChanged(to: Self.parked)
        let record = try #require(Self.events(ended).first)
        let trip = try #require(record.event.trip)
        #expect(record.event.event == .trip && record.event.event.isCritical)
        #expect(trip.duration == 200 && trip.distance == 4 && trip.distanceSource == "speed")
        #expect(trip.fuel == 0.333 && trip.fuelSource == "fuel_flow" && trip.start.time == nil)
        let state = try #require(Self.states(ended).last)
        #expect(!state.ongoing && state.totals.trips == 1 && state.totals.distance == 4 && state.totals.fuel == 0.333)
        #expect(state.trip.start.time == Timestamp(milliseconds: 1_000_000))
        #expect(PresentTrip(stored: record.memory) == nil)
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
        let published = next.restore(state.body, at: MonotonicTime(sinceBoot: .seconds(1210)))
        #expect(Self.states(published).map(\.ongoing) == [true])
        _ = try Self.drive(&next, 1230...1400)
        let ended = next.parkingChanged(to: Self.parked)
        #expect(Self.events(ended).compactMap(\.event.trip?.duration) == [400])
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
        let computed = Configuration.Computed()
        #expect(DerivedPolling(computed, .init(isEnabled: false), []).watched.isEmpty)
        #expect(DerivedPolling(computed, .init(), []).watched["vehicle_speed"] == .seconds(1))
    }
}
