// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import ELM327
import OBD2
import Session
import Store
import Timing
import Uplink

/// Tells the broker what the session tells: values, codes, the vehicle, and how the agent is.
actor Reporter {
    /// What is the same for as long as the agent runs.
    struct Identity: Sendable {
        var agent: String
        var version: String
        var adapterAddress: String
        var isSimulated: Bool
        /// The configured name of the vehicle; nil where its VIN is its name.
        var vehicleName: String?

        /// What the vehicle is called as long as nobody knows better.
        var provisionalVehicle: String { self.vehicleName ?? "agent-\(self.agent)" }
    }

    private let identity: Identity
    private let mapping: ContractMapping
    private let uplink: Uplink
    private let store: Store
    private let unsupported: @Sendable () async -> [PID]
    private let signalStrength: @Sendable () async -> Int?

    private var link = AgentStatus.Link.connecting
    private var problem: String?
    private var adapter: AdapterReport?
    private var rssi: Int?
    private var vehicle: VehicleIdentity?
    private var vin: VIN?
    /// Whether the vehicle whose topics these are is the one that is connected.
    private(set) var isConfirmed = false
    private var selection: Selection
    /// The names of the values that are selected.
    private var names: Set<String>
    private var history = CodeHistory()
    private var mil: Bool?
    private var dropped = AgentStatus.Dropped(replies: 0, commands: 0)

    /// - Parameters:
    ///   - unsupported: tells what is selected and not polled.
    ///   - signalStrength: tells the adapter's signal in dBm, and may take seconds to do so.
    init(
        _ identity: Identity,
        selection: Selection,
        isImperial: Bool,
        uplink: Uplink,
        store: Store,
        clock: any CalendarClock,
        unsupported: @escaping @Sendable () async -> [PID],
        signalStrength: @escaping @Sendable () async -> Int?
    ) {
        self.identity = identity
        self.selection = selection
        self.names = Self.names(of: selection)
        self.mapping = ContractMapping(clock: clock, isImperial: isImperial)
        self.uplink = uplink
        self.store = store
        self.unsupported = unsupported
        self.signalStrength = signalStrength
    }

    private var clock: any CalendarClock { self.mapping.clock }

    private static func names(of selection: Selection) -> Set<String> {
        Set(selection.intervals.keys.compactMap { Parameter.withPID($0)?.fields }.joined().map(\.name))
    }

    /// The agent is there.
    func started() async {
        var event = AgentEvent(.started, time: self.clock.timestamp, clock: self.clock.quality)
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
            await self.uplink.ingest(selected.map { self.mapping.sample($0, primary: self.vehicle?.primary) })
        case .link(let state):
            await self.linkChanged(state)
        case .identified(let identity):
            await self.identified(identity)
        case .monitors(let monitors):
            if let report = self.mapping.monitors(monitors) { await self.uplink.update(.monitors, .monitors(report)) }
        case .codes(let reading):
            await self.read(reading)
        case .selected(let selection):
            self.selection = selection
            self.names = Self.names(of: selection)
            await self.uplink.keep(self.names)
            await self.reportVehicle()
        case .dropped(let count):
            self.dropped.replies += count
        }
    }

    /// A message on the command topic was no command.
    func commandDropped() {
        self.dropped.commands += 1
    }

    /// Who the vehicle is at this moment.
    func currentVehicle() async -> (name: String, vin: String?) {
        (await self.uplink.vehicle, self.vin?.description)
    }

    /// The vehicle as it is known; nil while none is connected.
    func vehicleReport() async -> VehicleReport? {
        guard let vehicle = self.vehicle else { return nil }
        return self.mapping.vehicle(vehicle, self.selection, unsupported: await self.unsupported())
    }

    /// The report of a reading that somebody asked for.
    func report(_ reading: CodeReading) -> CodesReport {
        self.mapping.codes(reading, self.history)
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
        let depth = await self.store.depth
        let status = AgentStatus(
            agent: self.identity.agent,
            version: self.identity.version,
            time: self.clock.timestamp,
            simulated: self.identity.isSimulated,
            vehicleConfirmed: self.isConfirmed,
            adapter: AgentStatus.Adapter(
                address: self.identity.adapterAddress,
                identity: self.adapter?.identity,
                voltage: self.adapter?.voltage,
                rssi: self.rssi
            ),
            link: self.link,
            problem: self.problem,
            protocol: self.link == .connected ? self.adapter?.bus.title : nil,
            clock: self.clock.quality,
            outbox: AgentStatus.Outbox(records: depth.records, dropped: depth.dropped),
            dropped: self.dropped
        )
        await self.uplink.update(.status, .status(status))
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
            await self.uplink.record(AgentEvent(.connected, time: self.clock.timestamp, clock: self.clock.quality))
        case .waiting(let error, _):
            (self.link, self.problem, self.isConfirmed) = (.waiting, error.description, false)
            self.vehicle = nil
            if wasConnected {
                var event = AgentEvent(.disconnected, time: self.clock.timestamp, clock: self.clock.quality)
                event.reason = error.description
                await self.uplink.record(event)
            }
        }
        await self.reportStatus()
    }

    // MARK: - Vehicle

    private func identified(_ vehicle: VehicleIdentity) async {
        self.vehicle = vehicle
        let name = self.identity.vehicleName ?? vehicle.vin?.description ?? self.identity.provisionalVehicle
        if await self.uplink.vehicle != name {
            self.history = CodeHistory()
            self.mil = nil
            // Names are checked when the configuration is read, and a VIN is letters and digits.
            try? await self.uplink.setVehicle(name)
        }
        if !self.isConfirmed {
            self.isConfirmed = true
            var event = AgentEvent(.vehicleIdentified, time: self.clock.timestamp, clock: self.clock.quality)
            event.vin = vehicle.vin?.description
            await self.uplink.record(event)
        }
        self.vin = vehicle.vin
        await self.reportStatus()
        await self.reportVehicle()
    }

    private func reportVehicle() async {
        guard self.isConfirmed, let report = await self.vehicleReport() else { return }
        await self.uplink.update(.vehicle, .vehicle(report))
    }

    // MARK: - Codes

    private func read(_ reading: CodeReading) async {
        let changes = self.history.update(reading)
        let report = self.mapping.codes(reading, self.history)
        await self.uplink.update(.codes, .codes(report))
        for change in changes {
            var event: AgentEvent
            switch change {
            case .appeared(let key, let states):
                event = AgentEvent(.codeAppeared, time: report.time, clock: self.clock.quality)
                (event.code, event.ecu) = (key.code.description, key.ecu.description)
                event.states = states.map(ContractMapping.state)
            case .gone(let key, let states):
                event = AgentEvent(.codeGone, time: report.time, clock: self.clock.quality)
                (event.code, event.ecu) = (key.code.description, key.ecu.description)
                event.states = states.map(ContractMapping.state)
            }
            await self.uplink.record(event)
        }
        guard let mil = report.mil else { return }
        if let before = self.mil, before != mil {
            await self.uplink.record(AgentEvent(mil ? .milOn : .milOff, time: report.time, clock: self.clock.quality))
        }
        self.mil = mil
    }
}
