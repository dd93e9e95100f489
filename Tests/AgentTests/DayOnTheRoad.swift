// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import Contract
import Drive
import ELM327
import OBD2
import Parking
import Simulator

@testable import Agent
@testable import Session
@testable import Store
@testable import Uplink

/// What an agent would send, with one configuration, of what a session and a receiver of positions tell.
///
/// These are the machines of the reporter and of the uplink. What their actors do between them is done here.
struct DayOnTheRoad: Sendable {
    struct Clock: CalendarClock {
        let manual: ManualClock
        let quality = ClockQuality.synchronised
        var now: MonotonicTime { self.manual.now }

        func sleep(until deadline: MonotonicTime) async throws { try await self.manual.sleep(until: deadline) }
        func timestamp(of time: MonotonicTime) -> Timestamp {
            Timestamp(milliseconds: 1_795_255_200_000) + time.sinceBoot
        }
    }

    private static let boot = "0b5d2f4e-6a1c-4d7e-9f83-2c1a7e5b9d40"

    private(set) var uplink: CountedUplink
    /// The parameters that the session polls for trips.
    private let polling: DerivedPolling
    private let mapping: ContractMapping
    private let clock: Clock
    private let vehicle: SharedVehicle
    private var presence: VehiclePresence
    private var values: PolledValues
    private var diagnostics: VehicleDiagnostics
    private var supply = SupplyDeadBand()
    private var facts = StatusFacts()
    private var drive: DriveWatch
    /// The receiver of positions; nil without one.
    private var receiver: ReceiverOnTour?
    private var nextTick: MonotonicTime
    private var nextStatus: MonotonicTime

    init(
        _ configuration: Configuration,
        polling: DerivedPolling,
        clock: Clock,
        vehicle: SharedVehicle,
        vin: String
    ) throws {
        self.uplink = try CountedUplink(configuration.uplink, clock: clock, vin: vin)
        self.polling = polling
        self.clock = clock
        self.vehicle = vehicle
        self.mapping = ContractMapping(clock: clock, isImperial: false)
        self.presence = VehiclePresence(self.uplink.topics)
        self.values = PolledValues(
            Selection(intervals: configuration.intervals),
            charging: [],
            chargingInterval: configuration.parking.chargingInterval
        )
        self.diagnostics = VehicleDiagnostics(self.mapping, boot: Self.boot)
        self.drive = DriveWatch(
            configuration,
            clock: clock,
            boot: Self.boot,
            zones: HomeZones([]) { _ in [] }
        )
        if configuration.position.gpsd != nil {
            self.receiver = Coordinate(latitude: 52.5, longitude: 13.4).map { ReceiverOnTour(at: $0) }
        }
        (self.nextTick, self.nextStatus) = (clock.now, clock.now)
        var event = AgentEvent(.started)
        event.reason = "obd-agent \(AgentVersion.current)"
        try self.uplink.record(event, at: clock.now)
    }

    // MARK: - The session

    mutating func take(_ event: SessionEvent) throws {
        let now = self.clock.now
        try self.tick(until: now)
        switch event {
        case .samples(let samples): try self.take(samples)
        case .link(let state):
            self.facts.linkChanged(state, at: now)
            if case .connected = state { self.values.sessionBegan() }
            if let event = self.presence.linkChanged(state, at: now) { try self.uplink.record(event, at: now) }
            try self.perform(self.drive.linkChanged(to: state, at: now), at: now)
            try self.reportStatus(at: now)
        case .identified(let identity):
            let events = self.presence.vehicleIdentified(identity, vin: identity.vin)
            for event in events { try self.uplink.record(event.event, at: event.time ?? now) }
            if let parking = self.facts.parking { try self.reportSupply(parking) }
            try self.reportStatus(at: now)
            try self.reportVehicle(identity)
        case .codes(let reading):
            let (report, events, _) = self.diagnostics.codesRead(reading)
            try self.uplink.update(.codes, .codes(report), at: now)
            for event in events { try self.uplink.record(event, at: now) }
            try self.perform(self.drive.codesChanged(events, at: now), at: now)
        case .monitors(let monitors):
            guard let report = self.diagnostics.report(of: monitors) else { return }
            try self.uplink.update(.monitors, .monitors(report), at: now)
        case .parking(let report): try self.take(report)
        case .adapter(let report):
            self.facts.adapter = report
            try self.reportStatus(at: now)
        case .unexpected, .tests, .selected, .refused, .unscaled, .silent, .dropped: break
        }
    }

    private mutating func take(_ samples: [Sample]) throws {
        let now = self.clock.now
        let primary = self.presence.identity?.primary
        let polled = self.values.polled(samples)
        try self.uplink.ingest(polled.map { self.mapping.sample($0, primary: primary) }, at: now)
        try self.perform(self.drive.samplesReceived(samples, primary: primary), at: now)
        if let last = samples.last { self.facts.lastSeen = self.clock.timestamp(of: last.time) }
    }

    private mutating func take(_ report: ParkingReport) throws {
        let now = self.clock.now
        let change = ParkingChange(from: self.facts.parking, to: report, shown: self.facts.shownVoltage)
        self.facts.parking = report
        try self.reportSupply(report)
        for event in change.events { try self.uplink.record(event, at: now) }
        try self.perform(self.drive.parkingChanged(to: report, at: now), at: now)
        if change.changesStatus { try self.reportStatus(at: now) }
    }

    private mutating func reportVehicle(_ identity: VehicleIdentity) throws {
        guard identity.isMapped else { return }
        let now = self.clock.now
        let selection = self.values.selection
        // The session plans the same.
        var plan = PollPlan(selection, CustomPolling(), derived: self.polling, on: identity.bus)
        plan.apply(to: identity)
        let hastened = selection.intervals.filter { key, interval in
            plan.polledIntervals[key].map { $0 < interval } ?? false
        }
        self.values.pollingChanged(hastened: Set(hastened.keys))
        let lacked = plan.lackedValues(of: identity)
        try self.perform(self.drive.planChanged(selection, plan.derived.derivations, lacked: lacked), at: now)
        var report = self.mapping.vehicle(
            identity,
            selection,
            unsupported: plan.unsupported(by: identity),
            lacked: self.drive.lackedValues
        )
        report.derived = self.drive.derivedReports
        try self.uplink.update(.vehicle, .vehicle(report), at: now)
    }

    private mutating func reportSupply(_ report: ParkingReport) throws {
        guard self.presence.ownsSupply else { return }
        let now = self.clock.now
        let changes = self.supply.changes(in: report, at: now)
        try self.uplink.ingest(changes.map(self.mapping.supply), at: now)
        if let again = self.supply.repetition(in: report) {
            let sample = self.mapping.supply(again)
            try self.uplink.update(sample.path, .parameter(sample.report), at: now)
        }
    }

    // MARK: - The drive

    private mutating func perform(_ actions: [DriveAction], at now: MonotonicTime) throws {
        for action in actions {
            switch action {
            case .record(let event), .complete(let event, _): try self.uplink.record(event, at: now)
            case .recordChange(let event, let time, _, _): try self.uplink.record(event, at: time ?? now)
            case .update(let path, let payload): try self.uplink.update(path, payload, at: now)
            case .showTrip(var state, let stored):
                if let stored { state.totals = TripState.Totals(stored) }
                try self.uplink.update(.trip, .trip(state), at: now)
            case .ingest(let samples): try self.uplink.ingest(samples, at: now)
            case .track(let points): self.uplink.ingest(points)
            // Nothing of these is sent.
            case .keep, .hasten, .remember, .rememberCaptures, .noteSkippedCapture, .noteLackedValues: break
            }
        }
    }

    // MARK: - Time

    /// Does what happens every second.
    private mutating func tick(until end: MonotonicTime) throws {
        while self.nextTick <= end {
            let now = self.nextTick
            if now >= self.nextStatus {
                self.nextStatus = now + .seconds(60)
                self.facts.signalMeasured(-60)
                try self.reportStatus(at: now)
                try self.perform(self.drive.timePassed(to: now), at: now)
                self.uplink.ping()
            }
            try self.receiveFix(at: now)
            try self.uplink.tick(at: now)
            self.nextTick = now + .seconds(1)
        }
    }

    private mutating func receiveFix(at now: MonotonicTime) throws {
        guard self.receiver != nil else { return }
        let speed = self.vehicle.withVehicle { $0.state(at: now).vehicleSpeed } / 3.6
        let date = self.clock.timestamp(of: now)
        let fix = self.receiver?.fix(speed: speed, at: now, date: date)
        if let fix { try self.perform(self.drive.fixReceived(fix), at: now) }
    }

    private mutating func reportStatus(at now: MonotonicTime) throws {
        var status = self.facts.payload(
            AgentIdentity(
                agent: "0123456789ab",
                version: AgentVersion.current,
                adapterAddress: "ble:AA:BB:CC:DD:EE:FF",
                isSimulated: false
            ),
            self.presence,
            store: .init(
                numbered: 1000,
                epoch: 123,
                acknowledged: [.telemetry: 1234, .events: 12],
                records: 1,
                dropped: 0,
                oldest: nil,
                bytes: 1_000_000,
                problem: nil
            ),
            traffic: self.uplink.budget,
            clock: self.clock
        )
        status.liveWithin = 60
        status.requests = ["off": 12, "on": 123, "running": 123_456]
        try self.uplink.update(.status, .status(status), at: now)
    }

    /// Ends the agent.
    mutating func finish(at end: MonotonicTime) throws {
        try self.tick(until: end)
        try self.perform(self.drive.stopping(at: end), at: end)
        try self.uplink.finish()
    }
}
