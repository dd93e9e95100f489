// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import ELM327
import OBD2
import Parking
import Session
import Store
import Base
import Uplink

/// Tells the broker what the session tells: values, codes, the vehicle, and how the agent is.
actor Reporter {
    /// What is the same for as long as the agent runs.
    struct Identity: Sendable {
        var agent: String
        var version: String
        var adapterAddress: String
        var isSimulated: Bool
        /// Where the kernel tells how the machine is; nil: nowhere.
        var sysfs: String?
        /// What vehicles are called.
        var naming: VehicleNaming
    }

    /// How many tenths of a second an event may be on its way.
    private static let patience = 50

    let identity: Identity
    let mapping: ContractMapping
    let uplink: Uplink
    let store: Store
    let announcer: Announcer
    private let unsupported: @Sendable () async -> [ParameterKey]
    let select: @Sendable (String) async -> Void
    private let signalStrength: @Sendable () async -> Int?
    private let keep: @Sendable (AgentStatus) -> Void

    private var link = AgentStatus.Link.connecting
    /// Whether the vehicle is in use, and its battery; nil until somebody has looked.
    var parking: ParkingReport?
    private var problem: String?
    private var adapter: AdapterReport?
    private var rssi: Int?
    var vehicle: VehicleIdentity?
    var vin: VIN?
    /// Whether the vehicle whose topics these are is the one that is connected.
    var isConfirmed = false
    /// The topic level of the vehicle that was identified last.
    var lastVehicle: String?
    /// What the vehicle at the adapter would be called, where it is none of those that are expected.
    var wrongVehicle: String?
    /// Whether the 12 V supply is that of the vehicle whose topics these are.
    var ownsSupply = false
    var supplyNews = SupplyNews()
    /// Since when a vehicle answers of which nobody knows yet which one it is.
    var unidentifiedSince: MonotonicTime?
    private var selection: Selection
    /// The names of the values that are selected.
    private var names: Set<String>
    var history = CodeHistory()
    var mil: Bool?
    /// What the tests came to when somebody asked last.
    var tests: MonitorReading?
    /// The names of the values that the vehicle has told.
    var told: Set<String> = []
    /// When it has told something last.
    var seen: Timestamp?
    /// The engine's speed when it was read last.
    private var engineSpeed = 0.0
    /// Why the machine is about to be switched off; nil while it is not.
    var shuttingDown: String?
    private var dropped = AgentStatus.Dropped(replies: 0, commands: 0)

    /// - Parameters:
    ///   - unsupported: tells what is selected and not polled.
    ///   - select: polls what is kept for the vehicle of this name.
    ///   - signalStrength: tells the adapter's signal in dBm, and may take seconds to do so.
    ///   - keep: takes each status, for whoever looks for a mistake.
    init(
        _ identity: Identity,
        selection: Selection,
        isImperial: Bool,
        uplink: Uplink,
        store: Store,
        announcer: Announcer,
        clock: any CalendarClock,
        unsupported: @escaping @Sendable () async -> [ParameterKey],
        select: @escaping @Sendable (String) async -> Void,
        signalStrength: @escaping @Sendable () async -> Int?,
        keep: @escaping @Sendable (AgentStatus) -> Void
    ) {
        self.identity = identity
        self.selection = selection
        self.names = Self.names(of: Set(selection.intervals.keys))
        self.mapping = ContractMapping(clock: clock, isImperial: isImperial)
        self.uplink = uplink
        self.store = store
        self.announcer = announcer
        self.unsupported = unsupported
        self.select = select
        self.signalStrength = signalStrength
        self.keep = keep
    }

    var clock: any CalendarClock { self.mapping.clock }

    /// The names of the values that parameters have.
    static func names(of keys: Set<ParameterKey>) -> Set<String> {
        var names: Set<String> = []
        for key in keys {
            switch key {
            case .pid(let pid): names.formUnion((Parameter.withPID(pid)?.fields ?? []).map(\.name))
            case .custom(let name): names.insert(name)
            }
        }
        return names
    }

    /// The agent is there.
    func started() async {
        let name = await self.uplink.vehicle
        self.seen = await self.store.lastSeen(name)
        if await self.store.knows(name) { self.lastVehicle = name }
        await self.announcer.selected(self.selection)
        var event = AgentEvent(.started)
        event.reason = "obd-agent \(self.identity.version)"
        await self.uplink.record(event)
        await self.reportStatus()
    }

    /// Something happened in the session.
    func handle(_ event: SessionEvent) async {
        switch event {
        case .samples(let samples):
            // One that was asked for just before it was deselected comes too late.
            let selected = samples.filter { self.names.contains($0.value.field.name) }
            let mapped = selected.map {
                self.mapping.sample($0, primary: self.vehicle?.primary, deadBands: self.selection.deadBands)
            }
            await self.uplink.ingest(mapped)
            await self.watchEngine(selected)
            await self.noteSeen(samples)
            await self.noteTold(mapped)
        case .link(let state):
            await self.linkChanged(state)
        case .identified(let identity):
            await self.identified(identity)
        case .unexpected(let identity):
            await self.unexpected(identity)
        case .monitors(let monitors):
            await self.report(monitors)
        case .codes(let reading):
            await self.read(reading)
        case .tests(let reading):
            self.tests = reading
            await self.report(reading.sinceClear)
        case .selected(let selection):
            self.selection = selection
            self.names = Self.names(of: Set(selection.intervals.keys))
            // First: what shows a value shall not see that it goes.
            if selection.expiry == nil { await self.announcer.selected(selection) }
            await self.uplink.keep(Self.names(with: self.names))
            await self.reportVehicle()
        case .refused:
            await self.reportVehicle()
        case .dropped(let count):
            self.dropped.replies += count
        case .parking(let report):
            await self.parkingChanged(report)
        case .adapter(let report):
            self.adapter = report
            await self.reportStatus()
        }
    }

    /// What the session has told of the vehicle may still be on its way here.
    ///
    /// - Returns: whether the vehicle is the one that is connected, in the end.
    func waitUntilConfirmed() async -> Bool {
        for _ in 0..<Self.patience where !self.isConfirmed {
            try? await self.clock.sleep(until: self.clock.now + .milliseconds(100))
        }
        return self.isConfirmed
    }

    /// A message on the command topic was no command.
    func commandDropped() {
        self.dropped.commands += 1
    }

    /// Who the vehicle is at this moment, and whether that is being found out.
    func currentVehicle() async -> (name: String, vin: String?, isComing: Bool) {
        let isComing = self.isConfirmed ? self.vehicle?.isMapped == false : self.link != .waiting
        return (await self.uplink.vehicle, self.vin?.description, isComing)
    }

    /// The vehicle as it is known; nil while none is connected.
    func vehicleReport() async -> VehicleReport? {
        guard let vehicle = self.vehicle else { return nil }
        return await self.report(vehicle)
    }

    /// The report of a reading that somebody asked for.
    func report(_ reading: CodeReading) -> CodesReport {
        self.mapping.codes(reading, self.history)
    }

    /// The report of readiness and tests that somebody asked for; nil where no ECU tells.
    func report(_ reading: MonitorReading) -> MonitorsReport? {
        self.mapping.monitors(reading.sinceClear, reading)
    }

    /// The report of a vehicle that was just asked who it is.
    func report(_ vehicle: VehicleIdentity) async -> VehicleReport {
        self.mapping.vehicle(
            vehicle,
            self.selection,
            unsupported: await self.unsupported(),
            showsVIN: self.identity.naming.showsVIN
        )
    }

    private func report(_ monitors: [ECUAddress: MonitorStatus]) async {
        guard let report = self.mapping.monitors(monitors, self.tests) else { return }
        await self.uplink.update(.monitors, .monitors(report))
        await self.announcer.monitored(Array(report.monitors.keys))
    }

    /// The first time is told at once, the others with the next status.
    private func noteSeen(_ samples: [Sample]) async {
        guard let last = samples.last else { return }
        let isFirst = self.seen == nil
        self.seen = self.clock.timestamp(of: last.time)
        if isFirst { await self.reportStatus() }
    }

    /// Values of the engine's ECU are announced when they have come once.
    func noteTold(_ samples: [Uplink.Sample]) async {
        let names = samples.compactMap { sample in
            if case .parameter(let name, ecu: nil) = sample.path { name } else { nil }
        }
        let new = names.filter { self.told.insert($0).inserted }
        if !new.isEmpty { await self.announcer.told(new) }
    }

    // MARK: - Status

    /// Says how the agent is although nothing has changed.
    ///
    /// Only here the controller is asked for the signal: on a change nobody shall wait for it.
    func reportStatusAgain() async {
        let rssi = await self.signalStrength()
        // The link may have been lost meanwhile.
        self.rssi = self.link == .connected ? rssi : nil
        await self.reportStatus()
    }

    /// Says how the agent is, with the present time.
    func reportStatus() async {
        let store = await self.store.status
        let traffic = await self.uplink.traffic
        var status = AgentStatus(
            agent: self.identity.agent,
            version: self.identity.version,
            time: self.clock.timestamp,
            simulated: self.identity.isSimulated,
            vehicleConfirmed: self.isConfirmed,
            adapter: AgentStatus.Adapter(
                address: self.identity.adapterAddress,
                identity: self.adapter?.identity,
                voltage: self.parking?.voltage.map(ContractMapping.hundredths) ?? self.adapter?.voltage,
                rssi: self.rssi,
                capabilities: self.adapter.map(ContractMapping.capabilities)
            ),
            link: self.link,
            problem: self.problem,
            protocol: self.link == .connected ? self.adapter?.bus.title : nil,
            dialect: self.link == .connected ? self.adapter?.dialect : nil,
            clock: self.clock.quality,
            outbox: AgentStatus.Outbox(
                records: store.records,
                dropped: store.dropped,
                oldest: store.oldest.map { $0.date(self.clock) }
            ),
            store: AgentStatus.Store(bytes: store.bytes, problem: store.problem),
            sentToday: traffic.sent,
            budget: traffic.limit.map { AgentStatus.Budget(bytes: $0, level: traffic.level) },
            dropped: self.dropped
        )
        status.ignition = self.parking.map { ContractMapping.ignition($0.ignition) }
        status.parked = self.parking?.isParked
        status.battery = self.parking.flatMap(ContractMapping.battery)
        status.vehicleSeen = self.seen
        status.wrongVehicle = self.wrongVehicle
        status.machine = self.identity.sysfs.flatMap(MachineReport.now(in:))
        status.shuttingDown = self.shuttingDown
        self.keep(status)
        await self.uplink.update(.status, .status(status))
    }

    private func parkingChanged(_ report: ParkingReport) async {
        let before = self.parking
        self.parking = report
        // Of a vehicle that is none of ours nothing is told.
        guard self.wrongVehicle == nil else { return }
        await self.tellSupply(report)
        // That nobody can reach the adapter any more is no news of the vehicle.
        if before?.isParked == false, report.isParked, !report.hasLostAdapter {
            await self.uplink.record(AgentEvent(.parked))
        }
        if before?.isBatteryLow != true, report.isBatteryLow {
            var event = AgentEvent(.batteryLow)
            event.voltage = report.voltage.map(ContractMapping.hundredths)
            await self.uplink.record(event)
        }
        // The voltage alone is told with the next status.
        guard
            before?.ignition != report.ignition || before?.isParked != report.isParked
                || before?.isBatteryLow != report.isBatteryLow
        else { return }
        await self.reportStatus()
    }

    private func linkChanged(_ state: LinkState) async {
        let wasConnected = self.link == .connected
        self.rssi = nil
        switch state {
        case .connecting:
            (self.link, self.isConfirmed) = (.connecting, false)
        case .starting:
            (self.link, self.problem) = (.searching, nil)
        case .connected(let report):
            (self.link, self.problem, self.adapter) = (.connected, nil, report)
            // The topics may be another vehicle's.
            self.unidentifiedSince = self.clock.now
        case .parked:
            // Who is at the adapter when the link is up again is not known.
            (self.link, self.problem, self.isConfirmed) = (.waiting, nil, false)
            self.vehicle = nil
        case .waiting(let error, _):
            (self.link, self.problem, self.isConfirmed) = (.waiting, error.description, false)
            // An adapter that is away may be anywhere.
            if case .link = error { self.ownsSupply = false }
            self.vehicle = nil
            if wasConnected, self.unidentifiedSince == nil, self.wrongVehicle == nil {
                var event = AgentEvent(.disconnected)
                event.reason = error.description
                await self.uplink.record(event)
            }
        }
        await self.reportStatus()
    }

    /// An engine that stops may be the last that is heard: the power may be next.
    private func watchEngine(_ samples: [Sample]) async {
        for case .number(let speed) in samples.lazy.filter({ $0.value.field.name == "engine_speed" }).map(\.value.value)
        {
            defer { self.engineSpeed = speed }
            if speed == 0, self.engineSpeed > 0 { await self.uplink.save() }
        }
    }

    // MARK: - Codes

    private func read(_ reading: CodeReading) async {
        let changes = self.history.update(reading)
        let report = self.mapping.codes(reading, self.history)
        await self.uplink.update(.codes, .codes(report))
        for change in changes {
            let (kind, key, states): (AgentEvent.Kind, CodeHistory.Key, [CodeState]) =
                switch change {
                case .found(let key, let states): (.codeFound, key, states)
                case .appeared(let key, let states): (.codeAppeared, key, states)
                case .gone(let key, let states): (.codeGone, key, states)
                }
            var event = AgentEvent(kind)
            (event.code, event.ecu) = (key.code.description, key.ecu.description)
            event.description = key.code.explanation
            event.states = states.map(ContractMapping.state)
            await self.uplink.record(event)
        }
        guard let mil = report.mil else { return }
        if let before = self.mil, before != mil {
            await self.uplink.record(AgentEvent(mil ? .milOn : .milOff))
        }
        self.mil = mil
    }
}
