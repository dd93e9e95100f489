// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import ELM327
import OBD2
import Parking
import Session
import Store
import Uplink

/// The facts that the payload of `status` is made from.
struct StatusFacts: Sendable {
    private(set) var link = AgentStatus.Link.connecting
    /// The reason why the link is not connected.
    private var problem: String?
    /// The last such reason that is not known to be over, with the time of the last failure.
    private var lastProblem: (error: SessionError, time: MonotonicTime)?
    var adapter: AdapterReport?
    /// The adapter's signal strength in dBm; nil while the link is down.
    private var rssi: Int?
    /// The state of the machine's CAN controller; nil with an adapter.
    var controller: ControllerReport?
    /// Whether the vehicle is in use, and its battery; nil until the first contact.
    var parking: ParkingReport?
    /// The voltage in the status that was published last, in volts; nil if it had none.
    private(set) var shownVoltage: Double?
    /// The time of the last data from the vehicle.
    var lastSeen: Timestamp?
    /// The reason for the machine's pending shutdown; nil if none is pending.
    var shutdownReason: String?
    private var dropped = AgentStatus.Dropped(replies: 0, commands: 0)

    /// The advice for a vehicle none of whose values shows whether it drives.
    private static let evidenceAdvice =
        "No value of this vehicle shows whether it drives, so changing values and the supply voltage decide. "
        + "Try: a custom parameter with role = \"ready\" or \"vehicle_speed\"."

    /// The session's link has another state.
    mutating func linkChanged(_ state: LinkState, at now: MonotonicTime) {
        self.rssi = nil
        switch state {
        case .connecting: self.link = .connecting
        case .starting: (self.link, self.problem) = (.searching, nil)
        case .connected(let report):
            (self.link, self.problem, self.adapter) = (.connected, nil, report)
            self.lastProblem = nil
        case .parked:
            (self.link, self.problem) = (.waiting, nil)
            if self.lastProblem?.error.endsWithParking == true { self.lastProblem = nil }
        case .waiting(let error, _):
            (self.link, self.problem) = (.waiting, error.description)
            self.lastProblem = (error, now)
        }
    }

    /// The signal strength was measured, before a link that may have been lost meanwhile.
    mutating func signalMeasured(_ rssi: Int?) { self.rssi = self.link == .connected ? rssi : nil }

    /// Replies were dropped, because they were damaged or matched no request.
    mutating func repliesDropped(_ count: Int) { self.dropped.replies += count }

    /// A message on the command topic was dropped, because it was no command.
    mutating func commandDropped() { self.dropped.commands += 1 }

    /// Returns the payload of `status`, which is to be published, but for the state of the machine.
    mutating func payload(
        _ identity: AgentIdentity,
        _ vehicle: VehiclePresence,
        store: StoreStatus,
        traffic: DailyBudget,
        clock: any CalendarClock
    ) -> AgentStatus {
        let connected = self.link == .connected ? self.adapter : nil
        self.shownVoltage = self.parking?.voltage
        var status = AgentStatus(
            agent: identity.agent,
            version: identity.version,
            time: clock.timestamp,
            simulated: identity.isSimulated,
            vehicleConfirmed: vehicle.isConfirmed,
            adapter: AgentStatus.Adapter(
                address: identity.adapterAddress,
                identity: self.adapter?.identity,
                voltage: self.parking?.voltage.map(ContractMapping.hundredths),
                rssi: self.rssi,
                capabilities: self.adapter.map(ContractMapping.capabilities),
                can: self.controller.map(ContractMapping.controller)
            ),
            link: self.link,
            problem: self.problem,
            protocol: connected?.bus.title,
            dialect: connected?.dialect,
            clock: clock.quality,
            outbox: AgentStatus.Outbox(
                records: store.records,
                dropped: store.dropped,
                oldest: store.oldest.map { $0.date(clock) }
            ),
            store: AgentStatus.Store(bytes: store.bytes, problem: store.problem),
            sentToday: traffic.sent,
            budget: traffic.limit.map { AgentStatus.Budget(bytes: $0, level: traffic.level) },
            dropped: self.dropped
        )
        status.acknowledged = AgentStatus.Acknowledged(epoch: store.epoch, store.acknowledged)
        status.ignition = self.parking.map { ContractMapping.ignition($0.ignition) }
        status.ignitionEvidence = self.parking.map { $0.evidence.map(\.rawValue) }
        if self.parking?.isEvidenceThin == true { status.ignitionAdvice = Self.evidenceAdvice }
        status.parked = self.parking?.isParked
        status.battery = self.parking.flatMap { ContractMapping.battery($0, clock: clock) }
        status.lastProblem = self.lastProblem.map {
            .init(text: $0.error.description, time: clock.timestamp(of: $0.time))
        }
        status.vehicleSeen = self.lastSeen
        status.wrongVehicle = vehicle.unexpectedName
        status.shuttingDown = self.shutdownReason
        return status
    }
}
