// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Parking

/// One vehicle that answers, from the adapter's start-up to the end of the session.
///
/// The agenda chooses the requests. `AnsweringVehicle` sends them and reports the results.
final class AnsweringVehicle {
    let bus: any VehicleBus
    let parking: ParkingSupervisor
    let events: SessionEvents
    let clock: any MonotonicClock
    private let memory: VehicleMemory
    private let settings: VehicleSettings
    var agenda: SessionAgenda
    /// The error that ends the session although a lease still has the bus.
    var failure: SessionError?
    /// The end of a `raw_request` hold.
    ///
    /// Polling is suspended until then.
    var pollingPauseEnd: MonotonicTime?
    /// The time of the vehicle's last proof of its identity; nil once a request that writes has used it.
    var provenAt: MonotonicTime?
    /// Whether the vehicle has been driven in this session.
    private var hasDriven = false
    /// The number of times that no configured sign of a drive was answered, and the number that shows that none is.
    private var unansweredSigns = 0
    private static let signLimit = 3
    /// The parameters of frames that are heard.
    private var heard: [HeardParameter] = []
    /// The values after a silence, in which the plug may have been put into another vehicle.
    private var held = HeardValues.Batch()
    /// The trials of the adapter in this session.
    private var trials: CapabilityProbe?

    init(
        _ agenda: SessionAgenda,
        _ bus: any VehicleBus,
        parking: ParkingSupervisor,
        memory: VehicleMemory,
        settings: VehicleSettings,
        events: SessionEvents,
        clock: any MonotonicClock
    ) {
        self.agenda = agenda
        self.bus = bus
        self.parking = parking
        self.memory = memory
        self.settings = settings
        self.events = events
        self.clock = clock
    }

    /// Whether a lease may begin: the vehicle is mapped, and its identity is not in doubt.
    var isLeasable: Bool { self.agenda.isReady && !self.agenda.isInDoubt }

    // MARK: - Polling

    /// Performs the next action of the agenda, or of the watch on the ignition.
    ///
    /// - Returns: the time of the next action; nil if one may be due at once.
    func performNext() async throws(SessionError) -> MonotonicTime? {
        let isPaused = self.pollingPauseEnd.map { self.clock.now < $0 } ?? false
        try self.tellHeard()
        self.parking.countRequests(of: self.bus)
        try self.parking.check(isHeld: isPaused)
        if let end = self.pollingPauseEnd, isPaused, !self.agenda.isInDoubt { return end }
        if !self.hasDriven, self.parking.rules.ignition.state == .running {
            self.hasDriven = true
            self.agenda.polling.driveBegan()
        }
        if try await self.watchIgnition() { return nil }
        var idleEnd: MonotonicTime?
        switch self.agenda.next(at: self.clock.now) {
        case .ask(let question): try await self.ask(question)
        case .tryAdapter: try await self.tryAdapter()
        case .wait(let due): idleEnd = self.parking.rules.idleEnd(before: due, hasVoltage: self.readsVoltage)
        }
        if self.agenda.isReady, self.failure == nil { self.parking.answerWakeRequests(.success(())) }
        return idleEnd
    }

    /// Has the frames of the selected parameters received, and reports the values in those that have come.
    func tellHeard() throws(SessionError) {
        if self.heard != self.agenda.polling.heard {
            self.heard = self.agenda.polling.heard
            try self.bus.hear(self.heard)
        }
        guard !self.heard.isEmpty else { return }
        var batch = self.bus.takeHeard()
        if batch.followsSilence {
            // The proof decides whether it is told.
            self.agenda.identityWatch.doubt()
            self.held = batch
            batch = HeardValues.Batch()
        }
        guard self.agenda.isReady, !self.agenda.mayBeAnother else { return }
        for batch in [self.held, batch] {
            if batch.dropped > 0 { self.events.emit(.dropped(batch.dropped)) }
            guard !batch.samples.isEmpty else { continue }
            self.events.emit(.samples(batch.samples))
            // A counter that goes on is no sign that the vehicle is in use.
            self.parking.samplesReceived(batch.samples.filter { $0.value.sign != nil })
        }
        self.held = HeardValues.Batch()
    }

    /// Sends a request of the agenda and reports the result.
    @discardableResult
    func ask(_ question: SessionAgenda.Question) async throws(SessionError) -> BusOutcome {
        if !self.agenda.comesFirst(question) { try await self.bus.finishStartUp() }
        let start = self.clock.now
        let result = try await self.bus.ask(question, of: self.agenda)
        self.agenda.ended(question, after: self.clock.now - start)
        let unproven = self.agenda.polling.custom.unproven
        let action = self.agenda.answered(question, result, at: self.clock.now)
        if let unproven, self.agenda.polling.custom.unproven == nil { self.memory.refusals.proved(unproven) }
        switch action {
        case .proceed(let events):
            events.forEach(self.report)
        case .startOver(let error, let events):
            events.forEach(self.report)
            self.failure = error
            throw error
        }
        return result.outcome
    }

    private func report(_ event: SessionEvent) {
        switch event {
        case .identified(let identity):
            guard self.settings.isExpected(identity) else {
                self.failure = .vehicleUnexpected
                return self.events.emit(.unexpected(identity))
            }
            self.learnOwnParameters()
            self.agenda.learn(self.memory.limits[identity])
            if let known = self.agenda.knowable { self.bus.remember(known) }
            if let request = identity.addressedVIN?.request { self.memory.vinRequest = request }
        case .refused(let line, let parameters): self.events.logRefusal(of: line, parameters)
        case .silent(let destination, let parameters): self.events.logSilence(of: destination, parameters)
        case .unscaled(let pid, let ecus): self.events.logMissingMaxima(pid, of: ecus)
        case .samples(let samples):
            // A report about the ignition follows the values on which it rests.
            self.events.emit(event)
            return self.parking.samplesReceived(samples)
        case .link, .unexpected, .monitors, .codes, .tests, .adapter, .selected, .parking, .dropped: break
        }
        self.events.emit(event)
    }

    /// Takes over the custom parameters that only this vehicle has, once it is identified.
    func learnOwnParameters() {
        guard self.agenda.isIdentified else { return }
        self.agenda.know(self.settings.own(self.agenda.identity))
    }

    // MARK: - The ignition

    /// Whether the ignition is watched now: the vehicle is mapped, and nothing is more urgent.
    private var watchesIgnition: Bool { self.isLeasable && self.agenda.errands.urgent.isEmpty }

    /// Whether the voltage is read when it is due.
    private var readsVoltage: Bool { self.bus.hasVoltage && self.watchesIgnition }

    /// Requests the voltage and the signs of use that no poll has read for a while.
    ///
    /// - Returns: whether a request was sent.
    private func watchIgnition() async throws(SessionError) -> Bool {
        guard self.watchesIgnition else { return false }
        let now = self.clock.now
        if self.readsVoltage, self.parking.rules.isVoltageDue(at: now) {
            let volts: Double? = if case .volts(let volts) = try await self.bus.supplyVoltage() { volts } else { nil }
            if let volts { self.agenda.identityWatch.voltageMeasured(volts) }
            self.parking.voltageRead(volts)
            return true
        }
        let signs = self.agenda.polling.signs
        let isAnswered = self.parking.rules.ignition.hasSignOfDriving || self.unansweredSigns < Self.signLimit
        self.parking.vehicleMapped(
            hasSignOfDriving: isAnswered && signs.contains { $0.source.kind.showsDriving },
            drivesElectrically: self.agenda.identity.drivesElectrically
        )
        let due = self.parking.takeDueSigns(at: now, of: signs.lazy.map(\.source))
        guard !due.isEmpty else { return false }
        for item in Set(signs.filter { due.contains($0.source) }.map(\.item)) { try await self.ask(.poll(item)) }
        if !self.parking.rules.ignition.hasSignOfDriving { self.unansweredSigns += 1 }
        return true
    }

    /// Ends the contact if a probe that needs a vehicle in use finds none, and no `wake` is pending.
    ///
    /// - Throws: `.standing` if the vehicle neither drives nor is charged, or the error that ends the session.
    func proveUse(_ reason: ProbeReason?) async throws(SessionError) {
        guard let reason, reason.needsUse, !self.parking.hasWakeRequests else { return }
        for item in Set(self.agenda.polling.signs.map(\.item)) where item.isDiagnostic {
            // The first answer may be lost.
            if try await !self.readSigns(item) { _ = try await self.readSigns(item) }
        }
        if !self.parking.rules.ignition.hasSignOfDriving { self.parking.answersWithoutSigns() }
        switch self.parking.rules.ignition.state {
        case .running, .charging: return
        // The voltage has just risen to that of a converter, so the vehicle may be about to drive off.
        case .on where reason == .voltageChange && self.parking.rules.ignition.supply.showsConverter == true: return
        case .on, .off, .unknown: throw .standing
        }
    }

    /// Reads signs of a vehicle that is not identified yet, so that its values are not reported.
    ///
    /// - Returns: whether an ECU answered.
    private func readSigns(_ item: PollItem) async throws(SessionError) -> Bool {
        let result = try await self.bus.ask(.poll(item), of: self.agenda)
        switch self.agenda.answered(.poll(item), result, at: self.clock.now) {
        case .proceed(let events):
            for case .samples(let samples) in events { self.parking.samplesReceived(samples) }
        case .startOver(let error, _): throw error
        }
        if case .answered = result.outcome { return true }
        return false
    }

    // MARK: - The adapter

    /// Performs the next trial of the adapter's capabilities.
    private func tryAdapter() async throws(SessionError) {
        guard var probe = self.trials ?? self.newTrials() else {
            self.agenda.trials.isPending = false
            return
        }
        defer { self.trials = probe }
        try await self.bus.perform(&probe)
        self.agenda.learn(probe.report)
        self.agenda.trials.pays = probe.next?.makesPollingFaster ?? false
        guard !probe.isPending else { return }
        self.agenda.trials.isPending = false
        self.events.emit(.adapter(probe.report))
    }

    private func newTrials() -> CapabilityProbe? {
        guard let report = self.bus.report, let vehicle = ProbedVehicle(self.agenda.identity) else {
            return nil
        }
        return CapabilityProbe(report, vehicle, known: self.bus.assessments(of: report)?.assessments ?? [:])
    }
}
