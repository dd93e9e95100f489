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
import Uplink

/// Records the trips of the connected vehicle.
struct TripWatch: Sendable {
    private let isEnabled: Bool
    private let limits: TripLimits
    /// Whether the present place of the vehicle is told.
    private let showsPlace: Bool
    private let clock: any CalendarClock
    /// The id of the machine's boot.
    private let boot: String
    private var recorder: TripRecorder
    /// The totals of the state that was made last.
    private var stored = TripTotals()
    /// The ECU whose value counts, by the value's name: the primary one if it has the value.
    private var sources: [String: ECUAddress] = [:]

    /// - Parameters:
    ///   - showsPlace: whether the present place of the vehicle is told, and not only where a trip has ended.
    ///   - boot: the id of the machine's boot.
    init(_ trips: Configuration.Trips, showsPlace: Bool, clock: any CalendarClock, boot: String) {
        (self.isEnabled, self.limits, self.showsPlace) = (trips.isEnabled, trips.limits, showsPlace)
        self.clock = clock
        self.boot = boot
        self.recorder = TripRecorder(trips.limits)
    }

    /// Takes over the samples of one reply, and the values that were computed from them.
    mutating func samplesReceived(
        _ samples: [Sample],
        primary: ECUAddress?,
        computed: [Reading]
    ) -> [DriveAction] {
        guard self.isEnabled else { return [] }
        var readings: [Reading] = []
        for sample in samples {
            let name = sample.value.field.name
            let source = sample.ecu == primary ? sample.ecu : self.sources[name] ?? sample.ecu
            self.sources[name] = source
            guard source == sample.ecu, let reading = Reading(sample.value, at: sample.time) else { continue }
            readings.append(reading)
        }
        self.noteClock()
        // In a statement of its own: an argument that changes the recorder would be evaluated after a copy of it.
        let actions = self.recorder.receive(readings + computed)
        return self.actions(for: actions)
    }

    mutating func parkingChanged(to report: ParkingReport) -> [DriveAction] {
        guard self.isEnabled else { return [] }
        let actions = self.recorder.parkingChanged(
            isParked: report.isParked,
            isLost: report.hasLostAdapter,
            isSilent: report.ignition == .off
        )
        return self.actions(for: actions)
    }

    mutating func codesChanged(_ events: [AgentEvent]) {
        let codes = { (kind: AgentEvent.Kind) in events.filter { $0.event == kind }.compactMap(\.code) }
        self.recorder.codesChanged(appeared: codes(.codeAppeared), gone: codes(.codeGone))
    }

    /// Takes over the place of the vehicle; nil if it must not be published.
    mutating func placeReceived(_ place: Coordinate?, at time: MonotonicTime) {
        self.recorder.placeReceived(place, at: time)
    }

    /// Ends the trip, because another vehicle follows.
    mutating func vehicleChanged() -> [DriveAction] {
        guard self.isEnabled else { return [] }
        self.sources = [:]
        let ended = self.recorder.vehicleChanged()
        let actions = self.actions(for: ended)
        (self.recorder, self.stored) = (TripRecorder(self.limits), TripTotals())
        return actions
    }

    mutating func timePassed(to now: MonotonicTime) -> [DriveAction] {
        guard self.isEnabled else { return [] }
        self.noteClock()
        let actions = self.recorder.timePassed(to: now)
        // The dates of the last trip follow the clock.
        return self.actions(for: actions) + self.shown
    }

    /// The disk has the state with these totals.
    mutating func totalsWritten(_ totals: TripTotals) {
        // The state may be that of another vehicle.
        if totals == self.stored { self.recorder.totalsWritten(totals) }
    }

    /// The agent is about to end: the present trip goes on in the next process.
    mutating func stopping() -> [DriveAction] {
        guard self.isEnabled else { return [] }
        let state = self.store()
        return [.remember(state)]
    }

    /// Takes over what an earlier process has left of the vehicle whose topics are in use.
    ///
    /// - Parameter shared: returns a place as it may leave the agent; nil if it may not.
    mutating func restore(
        _ body: [UInt8]?,
        at now: MonotonicTime,
        shared: (Coordinate) -> Coordinate?
    ) -> [DriveAction] {
        if let body, let json = try? JSON(parsing: body, depthLimit: 8), var memory = TripMemory(json) {
            memory.sharePlaces(shared)
            self.recorder.restore(memory, self.present, at: now)
            self.stored = self.recorder.told
        }
        guard !self.isEnabled else { return self.shown }
        // The trip would never end, and the broker would keep it.
        let ended = self.recorder.vehicleChanged()
        return self.actions(for: ended) + [.update(.trip, .withdrawn)]
    }

    // MARK: - Actions

    private mutating func noteClock() {
        guard self.clock.quality == .synchronised else { return }
        self.recorder.clockSynchronised(self.present)
    }

    private var present: MachineBoot { MachineBoot(self.boot, self.clock) }

    /// Returns the state to store.
    private mutating func store() -> StoredState {
        let memory = self.recorder.memory(self.present)
        self.stored = memory.told
        return StoredState(.trips, Array(memory.json.text.utf8))
    }

    private var shown: [DriveAction] {
        guard self.isEnabled, let trip = self.recorder.shown else { return [] }
        let told = self.recorder.told
        let state = TripState(trip, told, showsPlace: self.showsPlace, clock: self.clock)
        return [.showTrip(state, stored: self.stored == told ? nil : self.stored)]
    }

    private mutating func actions(for actions: [TripRecorder.Action]) -> [DriveAction] {
        var result: [DriveAction] = []
        for action in actions {
            switch action {
            case .begin:
                let state = self.store()
                result += [.remember(state)] + self.shown
            case .update: result += self.shown
            case .save:
                let state = self.store()
                result.append(.remember(state))
            case .finish(let trip):
                var event = AgentEvent(.trip)
                event.trip = TripReport(trip)
                let boot = trip.boot.map {
                    StoredRecord.Birth.Boot(
                        id: $0.id,
                        start: BootStart(
                            date: $0.start,
                            quality: $0.isSynchronised ? .synchronised : .unsynchronised
                        )
                    )
                }
                let state = self.store()
                result.append(.recordChange(event, at: trip.end.time, in: boot, to: state))
                result += self.shown
            }
        }
        return result
    }
}
