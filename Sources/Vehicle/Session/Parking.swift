// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// When the bus of a vehicle may be used.
///
/// What is not known to be in use is parked. A parked vehicle's voltage is looked at, which touches no bus; only a sign
/// of ignition, the agent's start, an adapter that appears, and the command `wake` earn a probe, and probes are counted.
/// A machine: it owns no clock and no link.
package struct Parking: Sendable {
    private enum State: Sendable {
        case parked
        /// A probe is under way.
        case probing(Reason, until: MonotonicTime)
        /// Somebody uses the vehicle: so long, unless it moves again.
        case inUse(until: MonotonicTime)
    }

    /// The longest that a probe may take: the search for the protocol.
    static let probeLimit = Duration.seconds(180)
    /// After so long without a connection an adapter has been away.
    static let absence = Duration.seconds(60)
    /// How soon a voltage is looked at again that may be the starter's.
    private static let dipPause = Duration.seconds(5)
    /// How long to wait before a vehicle that fell silent in use is asked again; the second time twice that.
    private static let firstRetry = Duration.seconds(20)
    /// After the silence of a retry that waited so long, it is parked.
    private static let lastRetry = Self.firstRetry * 2
    /// How often speeds are asked at least, and the voltage, while the engine runs and while it does not.
    private static let speedInterval = Duration.seconds(30)
    private static let voltageInterval = (running: Duration.seconds(30), standing: Duration.seconds(2))
    /// The longest that `wake` holds a vehicle.
    package static let longestWake = Duration.seconds(900)

    /// The configuration of parking.
    package let policy: ParkingPolicy
    package private(set) var ignition: IgnitionWatch
    private var budget: ProbeBudget
    private var state = State.parked
    private var pending: Reason? = .start
    private var wakeDuration = Duration.zero
    private var wakeEnd: MonotonicTime?
    private var nextContact: MonotonicTime?
    private var retry = Self.firstRetry
    private var absentSince: MonotonicTime?
    /// Whether the adapter was lost in use, and no ECU has reported a speed since: the engine may run by now.
    private var hasLostAdapter = false
    private var lastVoltage: MonotonicTime?
    private var asked = (engine: MonotonicTime?.none, vehicle: MonotonicTime?.none)
    private var hasAskedVehicle = false
    /// Whether the probe of a start or an appearance is repeated: one answer may be lost.
    private var isRepeated = false

    /// - Parameter probes: what was spent before this process began.
    package init(_ policy: ParkingPolicy, probes: ProbeRecord = ProbeRecord()) {
        self.policy = policy
        self.ignition = IgnitionWatch(policy)
        self.budget = ProbeBudget(policy, probes)
    }

    package var isParked: Bool { if case .inUse = self.state { false } else { true } }
    /// Whether nothing is to be asked before something changes.
    package var isAtRest: Bool {
        guard case .parked = self.state else { return false }
        return self.pending == nil || self.ignition.supply.forbids || self.pending == .change
    }
    /// The probes that were spent; a process that comes after this one goes on with them.
    package var probes: ProbeRecord { self.budget.record }
    /// Whether the adapter is put to sleep between two looks.
    package var sleepsAdapter: Bool { self.policy.sleepsAdapter }

    /// What there is to tell of it.
    package var report: ParkingReport {
        let supply = self.ignition.supply
        return ParkingReport(
            ignition: self.ignition.state,
            isParked: self.isParked,
            hasLostAdapter: self.hasLostAdapter,
            voltage: supply.voltage,
            lowestCranking: supply.lowestCranking,
            resting: self.isParked ? supply.resting : nil,
            trend: self.isParked ? supply.trend : nil,
            isBatteryLow: supply.isLow
        )
    }

    // MARK: - The gate

    /// Whether the bus may be used at this moment.
    ///
    /// - Parameter isHeld: whether a command that was let in is running.
    package func allowsBus(at now: MonotonicTime, isHeld: Bool = false) -> Bool {
        switch self.state {
        case .parked: false
        case .probing(_, let end): now < end
        case .inUse(let end): isHeld || (now < end && !self.isTooLow)
        }
    }

    private var isTooLow: Bool { self.ignition.supply.forbids && self.ignition.state != .running }

    package enum CheckAction: Hashable, Sendable {
        case goOn
        /// The vehicle is parked from now on.
        case leave
    }

    /// A session is about to ask something.
    package mutating func check(at now: MonotonicTime, isHeld: Bool) -> CheckAction {
        if self.allowsBus(at: now, isHeld: isHeld) { return .goOn }
        self.park(at: now, .unknown)
        return .leave
    }

    // MARK: - Without a session

    package enum NextAction: Hashable, Sendable {
        /// Nothing before this time.
        case wait(until: MonotonicTime)
        /// Read the voltage, and nothing else.
        case look
        /// Go to the bus of a parked vehicle: the probe has begun.
        case probe(Reason)
        /// Go to the bus of a vehicle that is in use.
        case connect
    }

    /// What to do now.
    ///
    /// - Parameter isQuiet: whether it is night, or nobody knows.
    package mutating func next(at now: MonotonicTime, isQuiet: Bool) -> NextAction {
        if case .inUse(let end) = self.state {
            if now < end, !self.isTooLow {
                guard let nextContact = self.nextContact, now < nextContact else { return .connect }
                return .wait(until: min(nextContact, end))
            }
            self.park(at: now, .unknown)
        }
        // The probe before is over.
        if case .probing = self.state { self.state = .parked }
        if let nextContact = self.nextContact, now < nextContact { return .wait(until: nextContact) }
        self.nextContact = now + self.policy.look
        if let reason = self.grant(at: now, isQuiet: isQuiet), reason != .change {
            return self.begin(reason, at: now)
        }
        return .look
    }

    /// What a probe may be spent for now.
    private mutating func grant(at now: MonotonicTime, isQuiet: Bool) -> Reason? {
        guard !self.ignition.supply.forbids else { return nil }
        if let pending = self.pending {
            return self.isRepeated || self.budget.hasProbe(at: now, isQuiet: isQuiet) ? pending : nil
        }
        guard !isQuiet, !self.ignition.supply.tells, self.absentSince == nil,
            self.budget.last.map({ now - $0 >= self.budget.interval }) ?? true,
            self.budget.hasProbe(at: now, isQuiet: isQuiet, keepsOne: true)
        else { return nil }
        return .interval
    }

    private mutating func begin(_ reason: Reason, at now: MonotonicTime) -> NextAction {
        self.state = .probing(reason, until: now + Self.probeLimit)
        self.hasAskedVehicle = self.isRepeated
        self.pending = reason
        return .probe(reason)
    }

    package enum ReachedAction: Hashable, Sendable {
        case goOn
        /// The adapter was away, or lost in use. The probe has begun.
        case probe
    }

    /// The adapter of a parked vehicle was reached for a look.
    package mutating func reached(at now: MonotonicTime, isQuiet: Bool) -> ReachedAction {
        defer { self.absentSince = nil }
        let isNew = self.hasLostAdapter || self.absentSince.map { now - $0 >= Self.absence } ?? false
        guard case .parked = self.state, isNew else { return .goOn }
        self.hasLostAdapter = false
        self.ignition.lost()
        self.pending = .appearance
        guard self.grant(at: now, isQuiet: isQuiet) != nil else { return .goOn }
        _ = self.begin(.appearance, at: now)
        return .probe
    }

    package enum LookedAction: Hashable, Sendable {
        case leave
        case readMore
        /// This looks like ignition: the probe has begun.
        case probe(Reason)
    }

    /// The voltage of a parked vehicle was read; without readings the adapter does not tell it.
    package mutating func looked(_ readings: [Double], at now: MonotonicTime, isQuiet: Bool) -> LookedAction {
        guard case .parked = self.state else { return .leave }
        switch self.ignition.looked(readings, at: now) {
        case .readMore: return .readMore
        case .dipped:
            // Not while the starter turns.
            self.pending = self.pending ?? .change
            self.nextContact = now + Self.dipPause
            return .leave
        case .changed: self.pending = self.pending ?? .change
        case .steady: break
        }
        guard let reason = self.pending, self.grant(at: now, isQuiet: isQuiet) != nil else { return .leave }
        _ = self.begin(reason, at: now)
        return .probe(reason)
    }

    // MARK: - On the way to the bus

    /// The adapter told its voltage just before the bus is asked.
    ///
    /// - Returns: whether it may be asked.
    package mutating func began(_ volts: Double?, at now: MonotonicTime, isQuiet: Bool) -> Bool {
        self.absentSince = nil
        guard case .probing = self.state else { return self.allowsBus(at: now) }
        if let volts, self.ignition.began(volts) { return false }
        if !self.hasAskedVehicle { self.budget.spend(at: now, isQuiet: isQuiet) }
        self.hasAskedVehicle = true
        return self.allowsBus(at: now)
    }

    /// A vehicle answers, and is in use, or may be.
    package mutating func connected(at now: MonotonicTime) {
        self.ignition.answered()
        // What is polled may tell the speeds anyway.
        self.asked = (now, now)
        self.lastVoltage = now
        self.retry = Self.firstRetry
        self.nextContact = nil
        guard case .probing = self.state else { return }
        self.isRepeated = false
        let isWoken = self.pending == .wake
        self.pending = nil
        if isWoken { self.wakeEnd = now + self.wakeDuration }
        self.state = .inUse(until: now + (isWoken ? self.wakeDuration : self.policy.after))
    }

    // MARK: - In use

    /// An ECU has told a speed.
    package mutating func heard(_ speed: IgnitionWatch.Speed, at now: MonotonicTime) -> IgnitionWatch.HeardAction {
        let action = self.ignition.heard(speed, at: now)
        self.hasLostAdapter = false
        if self.ignition.state == .running, case .inUse = self.state {
            self.budget.refill()
            self.state = .inUse(until: max(now + self.policy.after, self.wakeEnd ?? now))
        }
        return action
    }

    /// Whether a speed was neither heard nor asked for a while: then it is time, and counts as asked.
    package mutating func wantsSpeed(ofEngine: Bool, at now: MonotonicTime) -> Bool {
        let asked = ofEngine ? self.asked.engine : self.asked.vehicle
        let last = [self.ignition.lastSpeed(ofEngine: ofEngine), asked].compactMap(\.self).max()
        guard last.map({ now - $0 >= Self.speedInterval }) ?? true else { return false }
        if ofEngine { self.asked.engine = now } else { self.asked.vehicle = now }
        return true
    }

    /// Whether it is time to read the voltage.
    package func wantsVoltage(at now: MonotonicTime) -> Bool {
        self.lastVoltage.map { now - $0 >= self.interval } ?? true
    }

    private var interval: Duration {
        self.ignition.state == .running ? Self.voltageInterval.running : Self.voltageInterval.standing
    }

    /// Until when a session may idle that has nothing to ask before `due`.
    ///
    /// - Parameter hasVoltage: whether the adapter tells the voltage at all.
    package func nextLook(before due: MonotonicTime, hasVoltage: Bool) -> MonotonicTime {
        guard case .inUse(let end) = self.state else { return due }
        guard hasVoltage, let lastVoltage = self.lastVoltage else { return min(due, end) }
        return min(due, end, lastVoltage + self.interval)
    }

    /// The adapter was asked for its voltage in a session; nil: it did not tell.
    package mutating func measured(_ volts: Double?, at now: MonotonicTime) {
        self.lastVoltage = now
        if let volts { self.ignition.measured(volts, at: now) }
    }

    // MARK: - The end

    package mutating func ended(_ end: End, at now: MonotonicTime) {
        if case .unreachable = end { self.absentSince = self.absentSince ?? now }
        switch self.state {
        // A pending wake fails, unless this contact was only a look.
        case .parked:
            if self.pending == .wake, end != .rest || self.ignition.supply.forbids { self.pending = nil }
        case .probing(let reason, _): self.probed(end, reason, at: now)
        case .inUse(let until): self.used(end, until, at: now)
        }
    }

    private mutating func probed(_ end: End, _ reason: Reason, at now: MonotonicTime) {
        self.state = .parked
        let isRepeatable = reason == .start || reason == .appearance
        switch end {
        case .silent where isRepeatable && self.hasAskedVehicle && !self.isRepeated:
            self.isRepeated = true
            self.nextContact = now + Self.firstRetry
            self.ignition.fellSilent()
            self.ignition.rest()
            return
        case .silent, .standing: self.pending = nil
        case .lowVoltage, .unreachable, .rest, .broken:
            // Nobody has said that it is parked: it is tried again while there are probes. A wake's caller tries again.
            if reason == .wake || reason == .interval || self.pending == .wake { self.pending = nil }
        }
        self.isRepeated = false
        let isLow = self.ignition.supply.forbids
        self.nextContact = isLow ? now + Self.dipPause : self.pending == nil ? now + self.policy.look : now
        if end.isSilent { self.ignition.fellSilent() } else { self.ignition.lost() }
        if self.hasAskedVehicle { self.ignition.rest() }
    }

    private mutating func used(_ end: End, _ until: MonotonicTime, at now: MonotonicTime) {
        switch end {
        case .silent(let volts):
            // One answer may be lost.
            self.hasLostAdapter = self.hasLostAdapter && self.retry == Self.firstRetry
            let isOver = self.ignition.supply.hasLeftRunning(volts) ?? false
            // It may be the bus, so it is asked again: twice, or once if the voltage has left that of the running engine.
            guard self.retry <= (isOver ? Self.firstRetry : Self.lastRetry) else {
                self.park(at: now, .off)
                return
            }
            self.ignition.fellSilent()
            self.nextContact = now + self.retry
            self.retry = self.retry * 2
        case .standing, .lowVoltage: self.park(at: now, .unknown)
        case .rest: break
        case .unreachable, .broken: self.hasLostAdapter = true
        }
        if now >= until { self.park(at: now, .unknown) }
    }

    private mutating func park(at now: MonotonicTime, _ state: IgnitionState) {
        self.state = .parked
        self.budget.left(at: now)
        self.pending = nil
        self.wakeEnd = nil
        self.retry = Self.firstRetry
        self.nextContact = self.hasLostAdapter ? now : now + self.policy.look
        switch state {
        case .off: self.ignition.fellSilent()
        case .running, .on, .unknown:
            if self.ignition.state != .off { self.ignition.lost() }
        }
        self.ignition.rest()
    }

    // MARK: - Waking

    /// Whether somebody waits for the vehicle to be woken.
    package var isWaking: Bool { self.pending == .wake }

    package enum WakeAction: Hashable, Sendable {
        /// The vehicle is in use, and is held until then.
        case held(until: MonotonicTime)
        /// A probe begins as soon as the adapter is reached.
        case probe
        /// The voltage in volts is below the limit.
        case tooLow(Double)
        /// The probes of this hour or night are spent.
        case noProbeLeft
    }

    /// Somebody wants to work on the vehicle for so long, at most ``longestWake``.
    package mutating func wake(for duration: Duration, at now: MonotonicTime, isQuiet: Bool) -> WakeAction {
        let duration = min(duration, Self.longestWake)
        if self.isTooLow { return .tooLow(self.ignition.supply.voltage ?? 0) }
        if case .inUse = self.state, self.ignition.state == .running {
            self.wakeEnd = max(self.wakeEnd ?? now, now + duration)
            return .held(until: now + duration)
        }
        guard self.budget.hasProbe(at: now, isQuiet: isQuiet) else { return .noProbeLeft }
        switch self.state {
        case .inUse(let end):
            self.budget.spend(at: now, isQuiet: isQuiet)
            self.wakeEnd = max(self.wakeEnd ?? now, now + duration)
            self.state = .inUse(until: max(end, now + duration))
            return .held(until: now + duration)
        case .parked, .probing:
            self.wakeDuration = duration
            if case .parked = self.state { self.nextContact = now }
            self.pending = .wake
            return .probe
        }
    }
}
