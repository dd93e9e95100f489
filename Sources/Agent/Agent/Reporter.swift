// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import Contract
import Drive
import ELM327
import Logging
import OBD2
import Parking
import Session
import Store
import Uplink

/// Publishes and records what the session reads: values, codes, the vehicle, and the state of the agent.
///
/// The parts of the state are values of their own: ``StatusFacts``, ``PolledValues``, ``VehicleDiagnostics`` and
/// ``SupplyDeadBand``. The connected vehicle belongs to ``ConnectedVehicle``, which only the events here change.
actor Reporter {
    /// The receivers of reports.
    struct Outlets: Sendable {
        let uplink: Uplink
        let store: Store
        let announcer: Announcer
        let findings: FindingRecorder
        let logger: Logger
        /// Keeps each status for a diagnosis.
        let keepStatus: @Sendable (AgentStatus) -> Void
    }

    private let identity: AgentIdentity
    private let mapping: ContractMapping
    let vehicle: ConnectedVehicle
    let session: Session
    let outlets: Outlets
    private var facts = StatusFacts()
    var values: PolledValues
    private var diagnostics: VehicleDiagnostics
    private var supply = SupplyDeadBand()
    private var charge = ChargeWatch()
    var drive: DriveWatch
    var turns = PerformingTurns()

    init(
        _ identity: AgentIdentity,
        mapping: ContractMapping,
        values: PolledValues,
        drive: DriveWatch,
        diagnostics: VehicleDiagnostics,
        vehicle: ConnectedVehicle,
        session: Session,
        outlets: Outlets
    ) {
        self.identity = identity
        self.mapping = mapping
        self.vehicle = vehicle
        self.session = session
        self.outlets = outlets
        self.values = values
        self.drive = drive
        self.diagnostics = diagnostics
    }

    var clock: any CalendarClock { self.mapping.clock }
    var uplink: Uplink { self.outlets.uplink }
    var announcer: Announcer { self.outlets.announcer }

    /// Whether the vehicle is parked; false until the first contact.
    var isParked: Bool { self.facts.parking?.isParked ?? false }

    /// Reports that the agent has started.
    func start() async {
        self.facts.lastSeen = await self.vehicle.restore()
        await self.announcer.polledParametersChanged(to: self.values.keys)
        await self.restoreStates()
        var event = AgentEvent(.started)
        event.reason = "obd-agent \(self.identity.version)"
        event.previousEpoch = await self.outlets.store.previousEpoch
        await self.uplink.record(event)
        await self.reportStatus()
    }

    /// Reports an event of the session.
    func handle(_ event: SessionEvent) async {
        switch event {
        case .samples(let samples):
            await self.report(samples)
        case .link(let state):
            self.facts.linkChanged(state, at: self.clock.now)
            if case .connected = state { self.values.sessionBegan() }
            await self.vehicle.linkChanged(state)
            await self.perform(self.drive.linkChanged(to: state, at: self.clock.now))
            await self.reportStatus()
        case .identified(let identity):
            await self.identified(identity)
        case .unexpected(let identity):
            await self.unexpected(identity)
        case .monitors(let monitors):
            await self.report(monitors)
        case .codes(let reading):
            await self.report(reading)
        case .tests(let reading):
            self.diagnostics.testsRead(reading)
            await self.report(reading.sinceClear)
        case .selected(let selection):
            self.values.selectionChanged(to: selection, charging: self.vehicle.known.charging)
            // Home Assistant removes the entities before their values disappear.
            if selection.expiry == nil { await self.announcer.polledParametersChanged(to: self.values.keys) }
            await self.uplink.withdrawParameters(except: self.values.publishedNames)
            await self.reportVehicle()
        case .refused, .silent:
            await self.reportVehicle()
        case .unscaled:
            break
        case .dropped(let count):
            self.facts.repliesDropped(count)
        case .parking(let report):
            await self.parkingChanged(report)
        case .adapter(let report):
            self.facts.adapter = report
            await self.reportStatus()
        }
    }

    /// Counts a message on the command topic that was no command.
    func commandDropped() { self.facts.commandDropped() }

    // MARK: - The vehicle

    private func identified(_ identity: VehicleIdentity) async {
        let found = self.vehicle.naming.identify(identity)
        await self.turn(to: await self.vehicle.level(of: found), found.marks)
        if await self.vehicle.confirm(identity, as: found) {
            await self.outlets.findings.republish(of: self.vehicle.name)
        }
        if let parking = self.facts.parking {
            await self.reportSupply(parking)
            await self.reportCharge(parking)
        }
        await self.vehicle.remember(identity, as: found)
        await self.reportStatus()
        await self.reportVehicle()
    }

    /// Reports a vehicle that is not an expected one on the agent's own topics, and on no vehicle's.
    private func unexpected(_ identity: VehicleIdentity) async {
        let event = self.vehicle.unexpectedVehicleFound(self.vehicle.naming.identify(identity))
        await self.turn(to: self.vehicle.naming.own, [])
        if let event { await self.uplink.record(event) }
        await self.reportStatus()
    }

    private func turn(to name: String, _ marks: [String]) async {
        guard self.vehicle.name != name else { return }
        self.diagnostics.vehicleChanged()
        self.charge.vehicleChanged()
        self.values.vehicleChanged()
        (self.facts.lastSeen, self.supply) = (nil, SupplyDeadBand())
        await self.perform(self.drive.vehicleChanged(at: self.clock.now))
        await self.vehicle.turn(to: name, marks)
        await self.restoreStates()
    }

    /// Takes over the codes, the trips and the limits that are stored of the vehicle whose topics are in use.
    private func restoreStates() async {
        let (store, name) = (self.outlets.store, self.vehicle.name)
        self.diagnostics.restore(await store.state(.codes, of: name))
        let (trips, limits) = (await store.state(.trips, of: name), await store.state(.limits, of: name))
        await self.perform(self.drive.restore(trips: trips, limits: limits, at: self.clock.now))
    }

    /// Publishes the vehicle's identity and equipment, once they are known.
    private func reportVehicle() async {
        self.values.pollingChanged(hastened: await self.session.hastened)
        guard self.vehicle.presence.identity?.isMapped == true else { return }
        if let derivations = await self.session.derivations {
            let lacked = await self.session.lackedValues
            await self.perform(self.drive.planChanged(self.values.selection, derivations, lacked: lacked))
        }
        guard let report = await self.vehicleReport() else { return }
        await self.uplink.update(.vehicle, .vehicle(report))
    }

    /// The payload of `vehicle`; nil while no vehicle is confirmed.
    func vehicleReport() async -> VehicleReport? {
        guard let identity = self.vehicle.presence.identity else { return nil }
        return await self.report(of: identity)
    }

    /// Returns the payload of `vehicle` for an identity that a command has just read.
    func report(of identity: VehicleIdentity) async -> VehicleReport {
        var report = self.mapping.vehicle(
            identity,
            self.values.selection,
            charging: self.values.charging,
            unsupported: await self.session.unsupported,
            lacked: self.drive.lackedValues,
            custom: self.vehicle.known.all,
            signalSet: self.vehicle.known.report,
            showsVIN: self.vehicle.naming.showsVIN
        )
        report.derived = self.drive.derivedReports
        return report
    }

    // MARK: - Values

    private func report(_ samples: [Sample]) async {
        self.charge.samplesReceived(samples)
        let polled = self.values.polled(samples)
        let primary = self.vehicle.presence.identity?.primary
        let deadBands = self.values.selection.deadBands
        let mapped = polled.map { self.mapping.sample($0, primary: primary, deadBands: deadBands) }
        await self.uplink.ingest(mapped)
        await self.perform(self.drive.samplesReceived(samples, primary: primary))
        // The power may be lost right after the engine stops.
        if self.values.engineStops(in: samples) { await self.uplink.save() }
        await self.noteSeen(samples)
        await self.announceFirstValues(in: mapped)
    }

    /// Publishes the first time of data at once, and later ones with the next status.
    private func noteSeen(_ samples: [Sample]) async {
        guard let last = samples.last else { return }
        let isFirst = self.facts.lastSeen == nil
        self.facts.lastSeen = self.clock.timestamp(of: last.time)
        if isFirst { await self.reportStatus() }
    }

    /// Announces the values that the engine's ECU reports for the first time.
    func announceFirstValues(in samples: [Uplink.Sample]) async {
        let names = self.values.firstNames(in: samples)
        if !names.isEmpty { await self.announcer.valuesReceived(named: names) }
    }

    private func report(_ reading: CodeReading) async {
        let (report, events, state) = self.diagnostics.codesRead(reading)
        await self.uplink.update(.codes, .codes(report))
        // The first event brings the state, so that a power cut keeps both or none.
        if let first = events.first { await self.uplink.record(first, with: state) }
        for event in events.dropFirst() { await self.uplink.record(event) }
        if let state, events.isEmpty { await self.uplink.remember(state) }
        await self.perform(self.drive.codesChanged(events, at: self.clock.now))
    }

    private func report(_ monitors: [ECUAddress: MonitorStatus]) async {
        guard let report = self.diagnostics.report(of: monitors) else { return }
        await self.uplink.update(.monitors, .monitors(report))
        await self.announcer.monitorsRead(Array(report.monitors.keys))
    }

    /// Returns the payload of `codes` for a reading that a command requested.
    func report(of reading: CodeReading) -> CodesReport { self.diagnostics.report(of: reading) }

    /// Returns the payload of `monitors` for a reading that a command requested; nil if no ECU reports its readiness.
    func report(of reading: MonitorReading) -> MonitorsReport? {
        self.mapping.monitors(reading.sinceClear, reading)
    }

    // MARK: - The supply

    private func parkingChanged(_ report: ParkingReport) async {
        let change = ParkingChange(from: self.facts.parking, to: report, shown: self.facts.shownVoltage)
        self.facts.parking = report
        self.values.pollingChanged(isCharged: report.isCharged)
        // Nothing is reported of an unexpected vehicle.
        guard self.vehicle.presence.unexpectedName == nil else { return }
        await self.reportSupply(report)
        for event in change.events { await self.uplink.record(event) }
        await self.reportCharge(report)
        await self.perform(self.drive.parkingChanged(to: report, at: self.clock.now))
        if change.changesStatus { await self.reportStatus() }
    }

    /// Records the begin or the end of a charge, if the vehicle that it belongs to is known.
    private func reportCharge(_ report: ParkingReport) async {
        // A parked vehicle is the last one that was known.
        guard report.isParked || self.vehicle.presence.isConfirmed else { return }
        guard let event = self.charge.ignitionChanged(to: report, at: self.clock.now) else { return }
        await self.uplink.record(event)
    }

    /// Publishes and records the 12 V figures that have changed enough, if the vehicle that they belong to is known.
    private func reportSupply(_ report: ParkingReport) async {
        let presence = self.vehicle.presence
        guard presence.ownsSupply, presence.unexpectedName == nil else { return }
        let samples = self.supply.changes(in: report, at: self.clock.now).map(self.mapping.supply)
        if let again = self.supply.repetition(in: report) { await self.uplink.show(self.mapping.supply(again)) }
        guard !samples.isEmpty else { return }
        await self.uplink.ingest(samples)
        await self.announceFirstValues(in: samples)
    }

    // MARK: - Status

    /// Records and publishes that the machine is about to be switched off.
    func announceShutdown(because reason: String) async {
        self.facts.shutdownReason = reason
        var event = AgentEvent(.shuttingDown)
        event.reason = reason
        await self.uplink.record(event)
        await self.perform(self.drive.stopping(at: self.clock.now))
        await self.reportStatus()
    }

    /// Publishes that the machine stays on after all.
    func cancelShutdown() async {
        self.facts.shutdownReason = nil
        await self.reportStatus()
    }

    /// Publishes the status although nothing has changed.
    ///
    /// Only here the signal strength is measured, which may take seconds: a change is published without that wait.
    func reportStatusAgain() async {
        let rssi = await self.session.signalStrength()
        self.facts.signalMeasured(rssi)
        await self.reportStatus()
        if let state = self.diagnostics.timePassed() { await self.uplink.remember(state) }
        await self.perform(self.drive.timePassed(to: self.clock.now))
    }

    /// Publishes the status, with the present time.
    private func reportStatus() async {
        let store = await self.outlets.store.status
        let traffic = await self.uplink.traffic
        self.facts.controller = await self.session.controllerReport
        var status = self.facts.payload(
            self.identity,
            self.vehicle.presence,
            store: store,
            traffic: traffic,
            clock: self.clock
        )
        let requests = await self.session.requests
        status.requests = Dictionary(uniqueKeysWithValues: requests.map { ($0.key.rawValue, $0.value) })
        let liveWithin = await self.uplink.liveWithin
        status.liveWithin = liveWithin.map { Int(($0 + self.values.unselectedInterval).components.seconds) }
        status.machine = self.identity.sysfs.flatMap(MachineReport.now(in:))
        self.outlets.keepStatus(status)
        await self.uplink.update(.status, .status(status))
    }
}
