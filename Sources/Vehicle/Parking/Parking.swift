// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The rules for the use of a vehicle's bus.
///
/// A vehicle that is not known to be in use is parked. Only its supply voltage is read, which does not touch the bus. A
/// probe of the bus needs a sign of ignition, the agent's start, the return of the adapter, or the command `wake`.
/// Probes are counted. `Parking` is a pure state machine: it owns no clock and no link.
package struct Parking: Sendable {
    enum State: Sendable {
        case parked(PendingProbe?)
        case probing(Probe)
        case inUse(Use)
    }

    /// The wait before the next voltage reading after a voltage that may be the starter's.
    private static let crankingPause = Duration.seconds(5)
    /// The longest hold by the command `wake`.
    package static let longestHold = Duration.seconds(900)

    /// The configuration of parking.
    package let policy: ParkingPolicy
    package private(set) var ignition: IgnitionWatch
    var budget: ProbeBudget
    var state = State.parked(PendingProbe(reason: .start, isFirst: true))
    private(set) var adapter = AdapterPresence()
    /// Whether the last vehicle has no value that shows a drive.
    private(set) var lacksSigns = false
    private var drivesElectrically = false
    /// Whether the last observation, or the last contact, showed that nodes of the vehicle send.
    var hadTraffic = false
    /// The earliest time of the next contact.
    var nextContact: MonotonicTime?

    /// - Parameter probes: the probes that earlier processes spent.
    package init(_ policy: ParkingPolicy, probes: ProbeRecord = ProbeRecord()) {
        self.policy = policy
        self.ignition = IgnitionWatch(policy)
        self.budget = ProbeBudget(policy, probes)
    }

    package var isParked: Bool { if case .inUse = self.state { false } else { true } }
    /// Whether the vehicle is parked and no probe can be made now.
    ///
    /// None is due, or the battery is too low for it, or the voltage must confirm it first.
    package var isAtRest: Bool {
        guard case .parked(let pending) = self.state else { return false }
        return pending == nil || self.ignition.supply.forbidsBus || pending?.reason == .voltageChange
    }
    /// The spent probes, for the next process to begin with.
    package var probes: ProbeRecord { self.budget.record }

    // MARK: - Permission

    /// Whether the bus may be used at this moment.
    ///
    /// - Parameter isHeld: whether an accepted command is running.
    package func allowsBus(at now: MonotonicTime, isHeld: Bool = false) -> Bool {
        switch self.state {
        case .parked: false
        case .probing(let probe): now < probe.deadline
        case .inUse(let use): isHeld || (now < use.end && !self.isVoltageTooLow)
        }
    }

    var isVoltageTooLow: Bool { self.ignition.supply.forbidsBus && self.ignition.state != .running }

    /// Checks the permission before each request of a session, and parks the vehicle without it.
    package mutating func check(at now: MonotonicTime, isHeld: Bool) -> CheckAction {
        if self.allowsBus(at: now, isHeld: isHeld) { return .proceed }
        self.park(at: now, .unknown)
        return .leave
    }

    // MARK: - Without a session

    /// Returns the next action.
    ///
    /// - Parameter isQuiet: whether quiet hours apply.
    package mutating func next(at now: MonotonicTime, isQuiet: Bool) -> NextAction {
        switch self.state {
        case .inUse(let use) where now < use.end && !self.isVoltageTooLow:
            guard let nextContact = self.nextContact, now < nextContact else { return .connect }
            return .wait(until: min(nextContact, use.end))
        case .inUse: self.park(at: now, .unknown)
        // A repetition that has used the bus is not repeated again.
        case .probing(let probe): self.probeEnded(.failed, probe, at: now)
        case .parked: break
        }
        if let nextContact = self.nextContact, now < nextContact { return .wait(until: nextContact) }
        self.nextContact = now + self.policy.voltageInterval
        guard let probe = self.grantedProbe(at: now, isQuiet: isQuiet), probe.reason != .voltageChange else {
            return .readVoltage
        }
        self.state = .probing(Probe(probe, at: now))
        return .probe(probe.reason)
    }

    /// Returns the probe that the rules allow now; nil if there is none.
    mutating func grantedProbe(at now: MonotonicTime, isQuiet: Bool) -> PendingProbe? {
        guard case .parked(let pending) = self.state, !self.ignition.supply.forbidsBus else { return nil }
        if let pending {
            // A probe while a converter carries the load costs the battery nothing.
            let isFree =
                pending.isFirst && self.ignition.supply.showsConverter == true
                && self.budget.isAny(isQuiet: isQuiet)
            return pending.isRepetition || isFree || self.budget.hasProbe(at: now, isQuiet: isQuiet) ? pending : nil
        }
        // At the level of a converter no further change shows that a hybrid or an electric car drives off.
        let supply = self.ignition.supply
        let hidesStart = !supply.showsIgnition || self.drivesElectrically && supply.showsConverter == true
        guard !isQuiet, hidesStart, !self.adapter.isUnreachable,
            self.budget.last.map({ now - $0 >= self.budget.interval }) ?? true,
            self.budget.hasProbe(at: now, isQuiet: isQuiet, keepsOne: true)
        else { return nil }
        return PendingProbe(reason: .interval)
    }

    /// Notes that the adapter of a parked vehicle answers before a voltage reading, and returns the next action.
    package mutating func adapterReached(at now: MonotonicTime, isQuiet: Bool) -> ReachedAction {
        defer { self.adapter.reached() }
        guard case .parked(let pending) = self.state, self.adapter.isNew(at: now) else { return .proceed }
        self.adapter.lossResolved()
        self.ignition.lost()
        self.state = .parked(PendingProbe(reason: .appearance, isRepetition: pending?.isRepetition ?? false))
        guard let probe = self.grantedProbe(at: now, isQuiet: isQuiet) else { return .proceed }
        self.state = .probing(Probe(probe, at: now))
        return .probe
    }

    /// Judges voltage readings of a parked vehicle, and returns the next action.
    ///
    /// - Parameter readings: the voltages in volts; empty if the adapter cannot read the voltage.
    package mutating func restingVoltageRead(
        _ readings: [Double],
        at now: MonotonicTime,
        isQuiet: Bool
    ) -> VoltageAction {
        guard case .parked(let pending) = self.state else { return .leave }
        switch self.ignition.restingVoltageRead(readings, at: now) {
        case .readMore: return .readMore
        case .dipped:
            // The bus is not used while the starter turns.
            self.state = .parked(pending ?? PendingProbe(reason: .voltageChange))
            self.nextContact = now + Self.crankingPause
            return .leave
        case .changed: self.state = .parked(pending ?? PendingProbe(reason: .voltageChange))
        case .steady: guard pending != nil else { return .leave }
        }
        guard let probe = self.grantedProbe(at: now, isQuiet: isQuiet) else { return .leave }
        self.state = .probing(Probe(probe, at: now))
        return .probe(probe.reason)
    }

    /// Asks for the permission to use the bus after the start-up of the adapter, which spends a probe.
    ///
    /// - Returns: whether the bus may be used.
    package mutating func adapterStarted(voltage: Double?, at now: MonotonicTime, isQuiet: Bool) -> Bool {
        self.adapter.reached()
        if let voltage { self.ignition.connectionVoltageRead(voltage, at: now) }
        guard case .probing(var probe) = self.state else { return self.allowsBus(at: now) }
        if let voltage, self.ignition.startVoltageRead(voltage) { return false }
        if !probe.hasUsedBus { self.budget.spend(at: now, isQuiet: isQuiet) }
        probe.hasUsedBus = true
        self.state = .probing(probe)
        return self.allowsBus(at: now)
    }

    /// Notes that a vehicle answers, so that it counts as in use.
    package mutating func vehicleConnected(at now: MonotonicTime) {
        self.ignition.vehicleAnswered()
        // The traffic that fades after a drive is no sign of another one.
        self.hadTraffic = true
        self.nextContact = nil
        switch self.state {
        case .parked: break
        case .probing(let probe):
            let isWoken = probe.pending.reason == .wakeCommand
            let holdEnd = isWoken ? now + probe.pending.holdDuration : nil
            self.state = .inUse(Use(until: holdEnd ?? now + self.policy.idleLimit, holdEnd: holdEnd, at: now))
        case .inUse: self.updateUse { $0.reconnected(at: now) }
        }
    }

    // MARK: - In use

    mutating func updateUse(_ body: (inout Use) -> Void) {
        guard case .inUse(var use) = self.state else { return }
        body(&use)
        self.state = .inUse(use)
    }

    /// Whether only the short list of a charge is read, because the vehicle is charged, or was until a moment ago.
    package var isLimited: Bool { if case .inUse(let use) = self.state { use.isLimited } else { false } }

    /// Notes whether the vehicle has a value that shows a drive, and whether it may drive off without its engine.
    package mutating func vehicleMapped(hasSignOfDriving: Bool, drivesElectrically: Bool) {
        (self.lacksSigns, self.drivesElectrically) = (!hasSignOfDriving, drivesElectrically)
    }

    /// Whether the vehicle may be ready to drive off although nothing turns: its converter carries the load.
    private var mayBeReady: Bool { self.drivesElectrically && self.ignition.mayBeReady }

    /// Takes over a sign that an ECU has reported in the value `name`.
    package mutating func signReceived(_ sign: UseSign, from name: String, at now: MonotonicTime) {
        self.ignition.signReceived(sign, from: name, at: now)
        self.adapter.lossResolved()
        self.ignitionJudged(at: now)
    }

    /// Notes that a value of the vehicle differs from its last reading, or is the first one.
    package mutating func valueChanged(at now: MonotonicTime) {
        self.ignition.valueChanged(at: now)
        self.adapter.lossResolved()
        // With a sign of a drive, only a new sign keeps the vehicle in use.
        if !self.ignition.hasSignOfDriving { self.ignitionJudged(at: now) }
    }

    /// Keeps a vehicle in use while it drives or is charged.
    private mutating func ignitionJudged(at now: MonotonicTime) {
        guard case .inUse(var use) = self.state else { return }
        switch self.ignition.state {
        case .running:
            self.budget.refill()
            use.isLimited = false
            use.lastDrive = now
            use.extend(to: now + self.policy.idleLimit)
        case .charging:
            use.isLimited = true
            // One of three readings in a row may be lost.
            use.extend(to: now + max(self.policy.idleLimit, self.policy.chargingInterval * 3))
        case .on where self.mayBeReady && now < use.lastDrive + Use.standingLimit:
            use.extend(to: now + self.policy.idleLimit)
        case .on where use.isLimited:
            // The charge has ended.
            use.end = min(use.end, max(now + self.policy.idleLimit, use.holdEnd ?? now))
        case .on, .off, .unknown: return
        }
        self.state = .inUse(use)
    }

    /// Whether a sign was neither received nor requested for a while.
    package func isSignDue(_ source: UseSign.Source, at now: MonotonicTime) -> Bool {
        guard case .inUse(let use) = self.state else { return false }
        let interval = use.isLimited ? self.policy.chargingInterval : self.policy.watchInterval
        return use.isSignDue(source, every: interval, lastReceived: self.ignition.lastSign(source), at: now)
    }

    /// Notes that the session requests a sign besides the polls.
    package mutating func signRequested(_ source: UseSign.Source, at now: MonotonicTime) {
        self.updateUse { $0.signRequested(source, at: now) }
    }

    /// Whether it is time to read the voltage.
    package func isVoltageDue(at now: MonotonicTime) -> Bool {
        guard case .inUse(let use) = self.state else { return false }
        return now >= use.nextVoltage(every: self.steadyInterval)
    }

    /// Returns the time until which a session may idle.
    ///
    /// - Parameters:
    ///   - due: the time of the next request.
    ///   - hasVoltage: whether the adapter can read the voltage.
    package func idleEnd(before due: MonotonicTime, hasVoltage: Bool) -> MonotonicTime {
        guard case .inUse(let use) = self.state else { return due }
        return min(due, use.end, hasVoltage ? use.nextVoltage(every: self.steadyInterval) : due)
    }

    /// The interval of the voltage readings of a vehicle that drives or is charged; nil if it stands.
    private var steadyInterval: Duration? {
        [.running, .charging].contains(self.ignition.state) ? self.policy.watchInterval : nil
    }

    /// Takes over a voltage reading of a session; nil: the adapter did not answer.
    package mutating func voltageRead(_ volts: Double?, at now: MonotonicTime) {
        self.updateUse { [ignition = self.ignition.state] in $0.voltageRequested(at: now, ignition) }
        guard let volts else { return }
        self.ignition.voltageRead(volts, at: now)
        if !self.ignition.hasSignOfDriving, self.ignition.state == .running { self.ignitionJudged(at: now) }
        // A charge whose converter no longer carries the load would drain the battery of 12 V.
        guard self.isLimited, self.ignition.supply.showsConverter == false else { return }
        self.updateUse { $0.end = max(now, $0.holdEnd ?? now) }
    }

    // MARK: - The end

    package mutating func contactEnded(_ end: ContactEnd, at now: MonotonicTime) {
        if end == .adapterUnreachable {
            self.adapter.unreachable(at: now)
            // Whether the bus fell silent meanwhile is unknown.
            self.hadTraffic = false
        }
        switch self.state {
        case .parked(let pending):
            // A pending wake stays pending if this contact was only a voltage reading. Otherwise it fails.
            let endsWake = pending?.reason == .wakeCommand && (end != .stillParked || self.ignition.supply.forbidsBus)
            if endsWake { self.state = .parked(nil) }
        case .probing(let probe): self.probeEnded(end, probe, at: now)
        case .inUse(let use): self.useEnded(end, use, at: now)
        }
    }

    private mutating func probeEnded(_ end: ContactEnd, _ probe: Probe, at now: MonotonicTime) {
        var pending: PendingProbe? = probe.pending
        switch end {
        case .vehicleSilent where probe.reason.isRepeatable && probe.hasUsedBus && !probe.pending.isRepetition:
            pending?.isRepetition = true
            self.state = .parked(pending)
            self.nextContact = now + Use.firstRetry
            self.ignition.vehicleSilent()
            self.ignition.rest()
            return
        case .vehicleSilent, .standing: pending = nil
        case .voltageTooLow, .adapterUnreachable, .stillParked, .failed, .vehicleChanged:
            // Nothing shows that the vehicle is parked, so it is probed again while probes are left. The sender of
            // `wake` tries again.
            let isOver = [.wakeCommand, .interval].contains(probe.reason) || pending?.reason == .wakeCommand
            if isOver { pending = nil }
        }
        pending?.isRepetition = false
        if probe.hasUsedBus { pending?.isFirst = false }
        self.state = .parked(pending)
        if self.ignition.supply.forbidsBus {
            self.nextContact = now + Self.crankingPause
        } else {
            self.nextContact = pending == nil ? now + self.policy.voltageInterval : now
        }
        if end.isSilent { self.ignition.vehicleSilent() } else { self.ignition.lost() }
        if probe.hasUsedBus { self.ignition.rest() }
    }

    private mutating func useEnded(_ end: ContactEnd, _ use: Use, at now: MonotonicTime) {
        var use = use
        switch end {
        case .vehicleSilent(let volts):
            // The first silence may be a lost answer, so only a later one counts.
            if !use.isFirstSilence { self.adapter.lossResolved() }
            let voltageShowsStop = self.ignition.supply.hasLeftRunning(volts) ?? false
            guard let retry = use.nextRetry(isStopped: voltageShowsStop || use.isLimited) else {
                self.park(at: now, .off)
                return
            }
            self.state = .inUse(use)
            self.ignition.vehicleSilent()
            self.nextContact = now + retry
        case .standing, .voltageTooLow: self.park(at: now, .unknown)
        case .stillParked: break
        case .vehicleChanged:
            self.ignition.lost()
            self.adapter.lostInUse()
        case .adapterUnreachable, .failed: self.adapter.lostInUse()
        }
        if now >= use.end { self.park(at: now, .unknown) }
    }

    private mutating func park(at now: MonotonicTime, _ ignition: IgnitionState) {
        self.state = .parked(nil)
        self.budget.useEnded(at: now)
        self.nextContact = self.adapter.isLostInUse ? now : now + self.policy.voltageInterval
        if ignition == .off {
            self.ignition.vehicleSilent()
        } else if self.ignition.state != .off {
            self.ignition.lost()
        }
        self.ignition.rest()
    }
}
