// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
package import Base
import ELM327
package import Logging
package import OBD2
package import Parking

/// One adapter and the vehicle behind it, through all connections.
///
/// `Session` is the only actor that uses the link. A caller that needs the vehicle waits for its turn between two
/// requests. The queue is bounded.
package actor Session {
    /// The purpose of a contact.
    private enum Contact: Hashable, Sendable {
        /// To read the voltage of a parked vehicle.
        case voltageReading
        case probe(ProbeReason)
        /// To connect to a vehicle in use.
        case reconnection
    }

    /// The time after which a link counts as one that usually lasts.
    private static let steadyTime = Duration.seconds(10)

    private let settings: VehicleSettings
    /// The short list that is polled while the vehicle is charged.
    private var charging: Selection
    let clock: any MonotonicClock
    private let logger: Logger
    private let events: SessionEvents
    let bus: any VehicleBus
    private let parking: ParkingSupervisor
    private let memory = VehicleMemory()
    var selections: SelectionState
    private var leases = LeaseQueue()
    /// The vehicle, from the adapter's start-up to the end of the session.
    private(set) var vehicle: AnsweringVehicle?
    /// Ends the wait for the next contact when the command `wake` arrives.
    private let timer = InterruptibleTimer()

    /// - Parameters:
    ///   - way: the way to the vehicle.
    ///   - emit: receives the events in order; it must not block.
    package init(
        over way: Way,
        vehicle: VehicleSettings = VehicleSettings(),
        selection: Selection,
        parking: ParkingSettings = ParkingSettings(),
        clock: any MonotonicClock,
        logger: Logger,
        emit: @escaping @Sendable (SessionEvent) -> Void
    ) {
        let events = SessionEvents(emit, logger)
        self.settings = vehicle
        self.charging = vehicle.chargingList(every: parking.policy.chargingInterval)
        self.clock = clock
        self.logger = logger
        self.events = events
        self.bus = way.bus(clock)
        self.parking = ParkingSupervisor(parking, clock: clock, events: events)
        self.selections = SelectionState(selection)
    }

    /// The connected vehicle.
    package var identity: VehicleIdentity? { self.vehicle?.agenda.identity }

    /// The ignition, the parking, and the battery.
    package var parkingReport: ParkingReport { self.parking.rules.report }

    /// The requests on the bus since the start, by the ignition at the time.
    package var requests: [IgnitionState: Int] { self.parking.requests }

    /// Whether the bus stays unused until a condition changes.
    package var isParked: Bool { self.parking.isAtRest }

    /// The strength of the adapter's radio signal in dBm; nil without a vehicle or a radio, and if the measurement fails.
    ///
    /// The measurement may take seconds.
    package func signalStrength() async -> Int? {
        guard self.vehicle != nil else { return nil }
        return await self.bus.signalStrength()
    }

    /// The state of the machine's CAN controller; nil with an adapter.
    package var controllerReport: ControllerReport? { self.bus.controllerReport() }

    // MARK: - Running

    /// Connects, polls, and reconnects after every loss, until the task is cancelled.
    ///
    /// The bus of a parked vehicle is used only for probes.
    package func run() async {
        var backoff = Backoff(first: .seconds(1), limit: min(.seconds(30), self.parking.rules.policy.voltageInterval))
        while !Task.isCancelled {
            let contact: Contact
            switch self.parking.next() {
            case .wait(let time):
                self.parking.reportParking()
                await self.timer.wait(until: time, on: self.clock)
                continue
            case .readVoltage: contact = .voltageReading
            case .probe(let reason): contact = .probe(reason)
            case .connect: contact = .reconnection
            }
            var connection: MonotonicTime?
            let failure = await self.runOnce(contact) { [clock = self.clock] in
                backoff.reset()
                connection = clock.now
            }
            guard !Task.isCancelled else { break }
            self.parking.reportParking()
            // The rules of parking set the times of the next contact.
            guard failure != .parked, !self.parking.isAtRest, !failure.isSilence else {
                backoff.reset()
                self.parking.reportRest(failure, isKnown: self.memory.bus != nil)
                continue
            }
            let wait = self.returnsAtOnce(after: failure, since: connection) ? .zero : backoff.next()
            self.logger.notice(
                "No vehicle: \(failure)",
                metadata: [
                    JournalEvent.metadataKey: "\(JournalEvent.noVehicle.rawValue)",
                    "retry_in": "\(wait.milliseconds) ms",
                ]
            )
            self.parking.report(.waiting(failure, wait))
            await self.timer.wait(until: self.clock.now + wait, on: self.clock)
        }
        await self.refuseJobs(.notConnected)
        self.parking.answerWakeRequests(.failure(.notConnected))
    }

    /// Whether a link is opened again without a pause: it was lost, and has carried a session for a while.
    private func returnsAtOnce(after failure: SessionError, since connection: MonotonicTime?) -> Bool {
        guard case .link = failure, let connection else { return false }
        return self.clock.now - connection >= Self.steadyTime
    }

    private func runOnce(_ contact: Contact, connected: () -> Void) async -> SessionError {
        if contact != .voltageReading { self.parking.report(.connecting) }
        do {
            let interrupt = try await self.bus.open()
            // A task that waits already does not notice its cancellation by itself.
            return await withTaskCancellationHandler {
                let failure = await self.converse(contact, connected: connected)
                await self.end(failure)
                return failure
            } onCancel: {
                interrupt()
            }
        } catch {
            await self.end(error)
            return error
        }
    }

    /// Polls until an error ends the session.
    private func converse(_ contact: Contact, connected: () -> Void) async -> SessionError {
        do {
            let reason = try await self.reason(for: contact)
            let report = try await self.startUp(reason)
            let vehicle = self.begin(report)
            self.vehicle = vehicle
            try await vehicle.proveUse(reason)
            self.logger.info(
                "A vehicle answers",
                metadata: [
                    JournalEvent.metadataKey: "\(JournalEvent.vehicleAnswers.rawValue)",
                    "adapter": "\(report.identity)",
                    "protocol": "\(report.bus.title)",
                ]
            )
            connected()
            self.parking.vehicleConnected()
            self.memory.bus = report.bus
            if report.dialect.hasStandardServices { self.memory.hasStandardServices = true }
            self.parking.report(.connected(report))
            self.parking.reportParking()
            vehicle.agenda.trials.isPending = self.bus.mayBeTried
            try await self.poll(vehicle)
        } catch {
            return error
        }
    }

    /// Returns the reason to use the bus of a parked vehicle; nil if the vehicle is in use.
    ///
    /// - Throws: `.parked` if the bus must not be used.
    private func reason(for contact: Contact) async throws(SessionError) -> ProbeReason? {
        switch contact {
        case .reconnection: return nil
        case .probe(let reason): return reason
        case .voltageReading:
            guard let reason = try await self.parking.readVoltage(self.bus) else { throw .parked }
            self.parking.report(.connecting)
            return reason
        }
    }

    private func startUp(_ reason: ProbeReason?) async throws(SessionError) -> AdapterReport {
        // After a start of the agent or a return of the adapter another vehicle may answer, on another bus.
        if reason == .start || reason == .appearance { self.memory.vehicleForgotten() }
        let bus = self.settings.bus ?? self.memory.bus
        let refusals = self.memory.refusals.destinations
        let search = SearchRequests(self.settings.custom, searched: self.settings.searched, refusals: refusals)
        let requests = self.memory.hasStandardServices ? search.chargingBusRequests : search.busRequests
        return try await self.bus.startUp(bus: bus, requests: requests, wakes: reason == .wakeCommand) {
            (phase, report) throws(SessionError) in
            if case .searching = phase { try self.parking.requestBus(voltage: report.voltage) }
            self.parking.report(.starting(phase))
        }
    }

    private func begin(_ report: AdapterReport) -> AnsweringVehicle {
        if let destination = self.memory.refusals.restarted(foundVehicle: true) {
            let header = destination.header
            self.logger.warning(
                "Requests to \(header) end: the adapter fails after them. Try: remove the custom parameters with it"
            )
        }
        self.bus.remember(report)
        var agenda = SessionAgenda(
            report,
            selection: self.selections.polled,
            custom: self.settings.customByName,
            derived: self.settings.derived,
            searched: self.settings.searched,
            refusals: self.memory.refusals.destinations,
            vinRequest: self.memory.vinRequest,
            needsVIN: self.memory.needsVIN(report.dialect),
            hasSettings: self.bus.hasSettings,
            hearsFrames: self.bus.hearsFrames,
            known: self.bus.knownVehicle
        )
        if let known = self.bus.assessments(of: report) {
            agenda.learn(known)
            agenda.trials.pays = known.lacksVerdictThatPays
        } else {
            agenda.trials.pays = true
            self.memory.limits = KnownLimits()
        }
        return AnsweringVehicle(
            agenda,
            self.bus,
            parking: self.parking,
            memory: self.memory,
            settings: self.settings,
            events: self.events,
            clock: self.clock
        )
    }

    private func poll(_ vehicle: AnsweringVehicle) async throws(SessionError) -> Never {
        while true {
            if Task.isCancelled { throw .link(.closed) }
            if vehicle.isLeasable, !self.leases.isEmpty {
                try await self.bus.finishStartUp()
                await self.runJobs(vehicle)
            }
            if let failure = vehicle.failure { throw failure }
            if self.selections.expire(at: self.clock.now) { self.applySelection() }
            if self.selections.endHaste(at: self.clock.now) { vehicle.agenda.select(self.selections.polled) }
            vehicle.agenda.limit(to: self.parking.rules.isLimited ? self.charging : nil)
            // A wait on the link notices its loss and a new job at once.
            if let due = try await vehicle.performNext(), self.leases.isEmpty {
                try await self.bus.idle(until: min(due, self.selections.expiry ?? due))
            }
        }
    }

    private func end(_ error: SessionError) async {
        if let report = self.bus.report { self.bus.remember(report) }
        self.parking.contactEnded(error, self.bus)
        if self.parking.isAtRest { await self.bus.sleep(isAllowed: self.parking.rules.policy.sleepsAdapter) }
        self.bus.close(keepsSettings: error.leavesAdapterAlone)
        if let agenda = self.vehicle?.agenda {
            if error != .vehicleChanged, let known = agenda.knowable { self.bus.remember(known) }
            if agenda.isIdentified { self.memory.limits.remember(agenda.polling.planner.limit, of: agenda.identity) }
            let custom = agenda.polling.custom
            self.memory.refusals.ended(error, refused: custom.refusals, unproven: custom.unproven)
        } else if case .startUp(.noVehicle) = error {
            _ = self.memory.refusals.restarted(foundVehicle: false)
        }
        self.vehicle = nil
        // Another vehicle may have another bus.
        if error == .vehicleChanged { self.memory.vehicleForgotten() }
        await self.refuseJobs(error)
        self.parking.failWakeRequests(error)
    }

    // MARK: - Leases

    /// Runs `body` with exclusive use of the bus, once the vehicle is mapped and its identity is not in doubt.
    ///
    /// - Throws: `.notConnected`, `.parked`, `.busy`, or the error of `body`.
    package func withBus<Success: Sendable>(
        _ body: @escaping @Sendable (BusLease) async throws(SessionError) -> Success
    ) async throws(SessionError) -> Success {
        guard let vehicle = self.vehicle, vehicle.agenda.isIdentified, vehicle.failure == nil else {
            throw self.parking.isAtRest ? .parked : .notConnected
        }
        guard !self.leases.isFull else { throw .busy }
        typealias Waiting = CheckedContinuation<Result<Success, SessionError>, Never>
        let result = await withCheckedContinuation { (continuation: Waiting) in
            self.leases.append { lease in
                do throws(SessionError) {
                    continuation.resume(returning: .success(try await body(try lease.get())))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
            self.bus.interruptRead()
        }
        return try result.get()
    }

    /// Runs `body` with the vehicle of a lease.
    ///
    /// - Throws: `.leaseEnded`, the error that ends the session, or the error of `body`.
    func withVehicle<Success: Sendable>(
        of lease: Int,
        _ body: @Sendable (AnsweringVehicle) async throws(SessionError) -> Success
    ) async throws(SessionError) -> Success {
        guard lease == self.leases.current, let vehicle = self.vehicle else { throw .leaseEnded }
        if let failure = vehicle.failure { throw failure }
        return try await body(vehicle)
    }

    private func runJobs(_ vehicle: AnsweringVehicle) async {
        while vehicle.failure == nil, let job = self.leases.begin() {
            vehicle.provenAt = nil
            let lease = BusLease(
                session: self,
                number: job.number,
                identity: vehicle.agenda.identity,
                speeds: vehicle.agenda.customKeys(with: .vehicleSpeed),
                ready: vehicle.agenda.customKeys(with: .ready)
            )
            await job.run(.success(lease))
            self.leases.end()
        }
    }

    private func refuseJobs(_ error: SessionError) async {
        for job in self.leases.removeAll() { await job.run(.failure(error)) }
    }

    // MARK: - Waking

    /// Holds a vehicle in use for the duration, at most a quarter of an hour, and wakes a parked one.
    ///
    /// - Throws: `.lowVoltage`, `.noProbeLeft`, `.busy`, or the error for which the vehicle does not answer.
    package func wake(for duration: Duration) async throws(SessionError) {
        if try self.parking.wake(for: duration) { return self.bus.interruptRead() }
        self.timer.interrupt()
        let result = await withCheckedContinuation { self.parking.append($0) }
        try result.get()
    }

    // MARK: - Selections

    /// Polls another selection from now on, also after a reconnect.
    ///
    /// - Parameters:
    ///   - duration: the time after which the lasting selection returns; nil makes the new one last.
    ///   - choose: returns the new selection, given the present ones and the parameters that the vehicle supports, nil
    ///     while no vehicle is identified. If it throws, nothing changes.
    package func select<Failure: Error>(
        for duration: Duration? = nil,
        _ choose: @Sendable (SelectionState, Set<ParameterKey>?) throws(Failure) -> Selection
    ) throws(Failure) -> Selection {
        let agenda = self.vehicle?.agenda
        let selection = try choose(self.selections, agenda?.isReady == true ? agenda?.pollable : nil)
        self.selections.select(selection, for: duration, at: self.clock.now)
        self.applySelection()
        return self.selections.current
    }

    /// Polls the selection of another vehicle, and ends a temporary selection.
    ///
    /// The custom parameters that only this vehicle has may be others from now on, too.
    package func adopt(_ selection: Selection) {
        self.selections = SelectionState(selection)
        self.charging = self.settings.chargingList(every: self.parking.rules.policy.chargingInterval)
        self.vehicle?.learnOwnParameters()
        self.applySelection()
    }

    private func applySelection() {
        self.vehicle?.agenda.select(self.selections.polled)
        self.events.emit(.selected(self.selections.current))
        self.bus.interruptRead()
    }
}
