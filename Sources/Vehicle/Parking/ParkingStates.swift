// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

// The data of each state of `Parking`.

/// A probe that is to be made as soon as the rules allow it.
struct PendingProbe: Sendable {
    var reason: ProbeReason
    /// The time for which the command `wake` holds the vehicle.
    var holdDuration = Duration.zero
    /// Whether the probe repeats one without an answer; a repetition does not count against the budget.
    var isRepetition = false
    /// Whether it is the first probe of this process.
    var isFirst = false
}

/// A probe under way.
struct Probe: Sendable {
    /// The longest duration of a probe: the search for the protocol.
    static let timeout = Duration.seconds(180)

    let reason: ProbeReason
    let deadline: MonotonicTime
    /// The probe to make if this one fails, or the `wake` that arrived meanwhile.
    var pending: PendingProbe
    /// Whether the bus was used, so that the probe is spent.
    var hasUsedBus: Bool

    init(_ pending: PendingProbe, at now: MonotonicTime) {
        self.reason = pending.reason
        self.deadline = now + Self.timeout
        self.pending = pending
        self.hasUsedBus = pending.isRepetition
    }
}

/// A vehicle in use.
struct Use: Sendable {
    /// The wait before the first retry after a silence; the second retry waits twice as long.
    static let firstRetry = Duration.seconds(20)
    /// The wait before the last retry.
    private static let lastRetry = Self.firstRetry * 2
    /// The longest stop of a hybrid or an electric car that is not known to be ready, before it counts as parked.
    static let standingLimit = Duration.seconds(900)
    /// The interval between two voltage readings while the vehicle stands.
    private static let standingInterval = Duration.seconds(2)
    /// The time from the last of these readings to the first one with a running engine.
    ///
    /// The starter has stopped by then: it turns for a second or two, and the voltage of that time is no lasting one.
    private static let starterTime = Self.standingInterval * 2

    /// The time at which the vehicle counts as parked, unless it moves again.
    var end: MonotonicTime
    /// The end of the hold that the command `wake` has asked for.
    var holdEnd: MonotonicTime?
    /// The wait before the next retry after a silence.
    private(set) var retry = Self.firstRetry
    private var lastVoltage: MonotonicTime
    /// The number of voltage readings in the present row.
    private var seriesCount = 0
    private let start: MonotonicTime
    private var lastRequest: [UseSign.Source: MonotonicTime] = [:]
    /// Whether only the short list of a charge is read.
    var isLimited = false
    /// The last time of a drive; before the first one, the time since which the vehicle answers.
    var lastDrive: MonotonicTime

    /// Begins the use of a vehicle that answers.
    ///
    /// The first polls may return the speeds, so no speed is due yet.
    init(until end: MonotonicTime, holdEnd: MonotonicTime?, at now: MonotonicTime) {
        self.end = end
        self.holdEnd = holdEnd
        self.lastVoltage = now
        self.start = now
        self.lastDrive = now
    }

    /// Resets the retries and the measurements, because the vehicle answers again.
    mutating func reconnected(at now: MonotonicTime) {
        let (isLimited, lastDrive) = (self.isLimited, self.lastDrive)
        self = Use(until: self.end, holdEnd: self.holdEnd, at: now)
        (self.isLimited, self.lastDrive) = (isLimited, lastDrive)
    }

    /// Keeps the vehicle in use while its engine runs.
    mutating func extend(to end: MonotonicTime) {
        self.end = max(end, self.holdEnd ?? end)
    }

    /// Holds the vehicle for the command `wake`.
    mutating func hold(until end: MonotonicTime) {
        self.holdEnd = max(self.holdEnd ?? end, end)
    }

    // MARK: - Retries

    /// Whether no silence came before this one.
    var isFirstSilence: Bool { self.retry == Self.firstRetry }

    /// Returns the wait before the retry; nil if the retries are exhausted.
    ///
    /// The bus may be at fault, so there are two retries. One is enough if the vehicle has stopped.
    ///
    /// - Parameter isStopped: whether the voltage has left the level of the running engine, or the vehicle was charged.
    mutating func nextRetry(isStopped: Bool) -> Duration? {
        guard self.retry <= (isStopped ? Self.firstRetry : Self.lastRetry) else { return nil }
        defer { self.retry = self.retry * 2 }
        return self.retry
    }

    // MARK: - Measurements

    /// Whether a sign was neither received nor requested for this long.
    func isSignDue(
        _ source: UseSign.Source,
        every interval: Duration,
        lastReceived: MonotonicTime?,
        at now: MonotonicTime
    ) -> Bool {
        let lastRequest = self.lastRequest[source] ?? self.start
        return now - max(lastRequest, lastReceived ?? lastRequest) >= interval
    }

    mutating func signRequested(_ source: UseSign.Source, at now: MonotonicTime) { self.lastRequest[source] = now }

    /// Notes that the voltage is read, once during a charge, and in rows during a drive.
    mutating func voltageRequested(at now: MonotonicTime, _ ignition: IgnitionState) {
        self.lastVoltage = now
        self.seriesCount =
            switch ignition {
            case .running: self.seriesCount % SupplyWatch.readingCount + 1
            case .charging: SupplyWatch.readingCount
            case .on, .off, .unknown: 0
            }
    }

    /// Returns the time of the next voltage reading.
    ///
    /// A vehicle that has just begun to drive has another voltage, so a row of readings follows soon.
    ///
    /// - Parameter interval: the interval between two rows while the vehicle drives or is charged; nil while it stands.
    func nextVoltage(every interval: Duration?) -> MonotonicTime {
        guard let interval else { return self.lastVoltage + Self.standingInterval }
        // The readings of a row follow one another at once: they delay the polls once, and not three times.
        return switch self.seriesCount {
        case 0: self.lastVoltage + Self.starterTime
        case ..<SupplyWatch.readingCount: self.lastVoltage
        default: self.lastVoltage + interval
        }
    }
}

/// The presence of the adapter, whose loss in use may hide the vehicle's next start.
struct AdapterPresence: Sendable {
    /// The time without a connection after which an adapter counts as new.
    private static let absence = Duration.seconds(60)

    /// The time of the first of the failed attempts to reach the adapter.
    private var unreachableSince: MonotonicTime?
    /// Whether the adapter was lost in use, and no ECU has reported a speed since, so that the engine may run by now.
    private(set) var isLostInUse = false

    var isUnreachable: Bool { self.unreachableSince != nil }

    /// Whether a parked vehicle has to be probed when the adapter answers at `now`.
    func isNew(at now: MonotonicTime) -> Bool {
        self.isLostInUse || self.unreachableSince.map { now - $0 >= Self.absence } ?? false
    }

    mutating func unreachable(at now: MonotonicTime) { self.unreachableSince = self.unreachableSince ?? now }
    mutating func reached() { self.unreachableSince = nil }
    mutating func lostInUse() { self.isLostInUse = true }
    mutating func lossResolved() { self.isLostInUse = false }
}
