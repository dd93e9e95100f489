// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import OBD2

/// Finds the trips of a vehicle, and sums up each of them.
///
/// A trip begins with the first sign of a drive, and ends with the last one before the vehicle is parked. A loss of the
/// link or of the agent that is shorter than ``longestGap`` does not end it, unless the engine has started again meanwhile.
package struct TripRecorder: Sendable {
    package enum Action: Hashable, Sendable {
        /// The vehicle has begun a trip: it has moved far enough.
        case begin(Trip)
        /// The trip goes on: at most once a second.
        case update(Trip)
        case finish(Trip)
        /// The state has changed in a way that must not be lost, or is a minute old.
        case save
    }

    /// The time without readings after which a trip is over: five minutes, and what a reconnection may take.
    package static let longestGap = Duration.seconds(360)
    /// The time without readings in which no vehicle is parked and started again.
    private static let shortestGap = Duration.seconds(30)
    /// The shortest time between two updates, and the longest between two states that are saved.
    private static let (updateInterval, saveInterval) = (Duration.seconds(1), Duration.seconds(60))

    private let limits: TripLimits
    /// The sums over all finished trips.
    package private(set) var totals = TripTotals()
    /// The totals with the present trip, as they are told: they only grow, and never exceed what is on the disk.
    package private(set) var told = TripTotals()
    /// The last finished trip.
    private(set) var last: Trip?
    private(set) var open: OpenTrip?
    /// The gap of which is not known yet whether it ended a trip.
    private var doubt: TripDoubt?
    /// The end of the last drive: its time on the present clock, and the odometer.
    private var lastEnd: LastEnd
    /// The last time between two trips at which the engine was seen not to turn.
    private var lastStill: MonotonicTime?
    /// Whether the engine turned at its last reading.
    private var engineTurns = false
    private var places = RecentPlaces()
    private var updatedAt = MonotonicTime.zero
    /// The time at which the state of the present trip was saved; nil if it was not since the process began.
    private var savedAt: MonotonicTime?
    /// The time at which an earlier process's trip was taken over; nil once the vehicle has been read.
    private var restoredAt: MonotonicTime?

    struct LastEnd: Hashable, Sendable {
        var time: MonotonicTime?
        var odometer: TripDistance.Anchor?
    }

    package init(_ limits: TripLimits) {
        self.limits = limits
        self.lastEnd = LastEnd()
    }

    /// The trip that goes on, or else the last one.
    package var shown: Trip? {
        if let open = self.open, open.isAnnounced { return open.trip(isFinished: false) }
        return self.last
    }

    /// The disk has a state with these totals.
    package mutating func totalsWritten(_ totals: TripTotals) { self.told = self.told.raised(to: totals) }

    // MARK: - Readings

    /// Takes over the readings of one reply.
    package mutating func receive(_ readings: [Reading]) -> [Action] {
        guard let now = readings.map(\.time).max() else { return [] }
        var actions: [Action] = []
        if let open = self.open, open.boot == nil, now - open.lastSeen > Self.longestGap { actions += self.finish() }
        self.noteGap(at: now)
        self.restoredAt = nil
        let isSign = readings.contains(where: \.isSignOfDrive)
        if self.open == nil, isSign { self.open = self.begun(at: now, after: self.lastEnd.odometer) }
        if let doubt = self.doubt, doubt.fresh == nil, isSign {
            let fresh = self.begun(at: now, after: doubt.before.endAnchor)
            self.doubt?.fresh = fresh
        }
        let stopsEngine = self.engineStops(in: readings)
        if self.open == nil, readings.contains(where: \.showsStoppedEngine) { self.lastStill = now }
        let limits = self.limits
        self.open?.receive(readings, limits, at: now)
        self.doubt?.fresh?.receive(readings, limits, at: now)
        actions += self.resolveDoubt(readings, at: now)
        let earliest = self.earliestStart
        let places = self.places
        if self.doubt == nil { self.open?.moveStart(notBefore: earliest, places) }
        return actions + self.report(isSaved: stopsEngine, at: now)
    }

    /// Returns whether the engine has stopped in these readings.
    private mutating func engineStops(in readings: [Reading]) -> Bool {
        guard let speed = readings.last(where: { $0.role == .engineSpeed }) else { return false }
        defer { self.engineTurns = speed.value > 0 }
        return self.engineTurns && speed.value == 0
    }

    private func begun(at now: MonotonicTime, after earlier: TripDistance.Anchor?) -> OpenTrip {
        var trip = OpenTrip(at: now, after: earlier)
        trip.places.startMoved(to: now, self.places)
        return trip
    }

    /// The earliest time at which a trip can have started.
    private var earliestStart: MonotonicTime? {
        [self.lastEnd.time, self.lastStill].compactMap(\.self).max()
    }

    /// Takes over the place of the vehicle; nil if it must not be told.
    package mutating func placeReceived(_ place: Coordinate?, at time: MonotonicTime) {
        self.places.placeReceived(place, at: time)
        self.open?.placeReceived(place, at: time)
        self.doubt?.fresh?.placeReceived(place, at: time)
    }

    /// Takes over codes that have come or gone.
    package mutating func codesChanged(appeared: [String], gone: [String]) {
        self.open?.codes.changed(appeared: appeared, gone: gone)
        self.doubt?.fresh?.codes.changed(appeared: appeared, gone: gone)
    }

    // MARK: - Gaps

    private mutating func noteGap(at now: MonotonicTime) {
        guard var open = self.open, self.doubt == nil else { return }
        guard open.boot != nil || self.restoredAt != nil || now - open.lastSeen > Self.shortestGap else { return }
        self.doubt = TripDoubt(before: open, since: now)
        guard open.boot != nil else { return }
        // The time for which the machine was off is not known yet: the gap is inserted later.
        open.shift(by: now - open.lastSeen)
        open.boot = nil
        self.open = open
    }

    private mutating func resolveDoubt(_ readings: [Reading], at now: MonotonicTime) -> [Action] {
        let engine = readings.first { $0.name == Reading.runTime && $0.value > 0 }
        guard let doubt = self.doubt,
            let verdict = doubt.verdict(engineStart: engine.map { $0.time - .seconds($0.value) }, at: now)
        else { return [] }
        return self.resolve(doubt, verdict)
    }

    private mutating func resolve(_ doubt: TripDoubt, _ verdict: TripDoubt.Verdict) -> [Action] {
        self.doubt = nil
        switch verdict {
        case .same(let gap):
            if let gap { self.open?.insertGap(gap) }
            return []
        case .another:
            self.open = doubt.fresh
            return self.close(doubt.before)
        }
    }

    /// Takes over the date of the present boot, because the clock is synchronized from now on.
    package mutating func clockSynchronised(_ boot: MachineBoot) {
        if let doubt = self.doubt, doubt.before.boot != nil { self.doubt?.before = doubt.before.moved(to: boot) }
        if let open = self.open, open.boot != nil { self.open = open.moved(to: boot) }
    }

    // MARK: - The end

    /// Takes over whether the vehicle is parked.
    ///
    /// - Parameters:
    ///   - isLost: whether the adapter was lost in use, so that nothing shows that the vehicle has stopped.
    ///   - isSilent: whether no ECU answers.
    package mutating func parkingChanged(isParked: Bool, isLost: Bool, isSilent: Bool) -> [Action] {
        guard isParked, !isLost else { return [] }
        // An agent that has just started takes every vehicle for parked, until it has asked.
        if self.restoredAt != nil, !isSilent { return [] }
        return self.finish()
    }

    /// Ends a trip of which nothing was read for long.
    ///
    /// Call this once a minute.
    package mutating func timePassed(to now: MonotonicTime) -> [Action] {
        guard let open = self.open else { return [] }
        let last = open.boot == nil ? open.lastSeen : self.restoredAt ?? now
        return now - last > Self.longestGap ? self.finish() : []
    }

    /// Ends the trip now, because another vehicle follows.
    ///
    /// Another recorder serves the other vehicle.
    package mutating func vehicleChanged() -> [Action] { self.finish() }

    private mutating func finish() -> [Action] {
        var actions: [Action] = []
        if let doubt = self.doubt { actions += self.resolve(doubt, doubt.lastVerdict) }
        guard let open = self.open else { return actions }
        self.open = nil
        return actions + self.close(open)
    }

    private mutating func close(_ open: OpenTrip) -> [Action] {
        var trip = open.trip(isFinished: true)
        self.lastEnd.time = open.boot == nil ? open.lastSign : nil
        guard open.hasMoved else {
            // The odometer's steps are no motion.
            trip.distance = open.figures.motion.distance
            self.totals = self.totals.adding(trip, isTrip: false)
            self.lastEnd.odometer = self.lastEnd.odometer ?? open.endAnchor
            return [.save]
        }
        self.totals = self.totals.adding(trip, isTrip: true)
        self.lastEnd.odometer = open.endAnchor
        self.last = trip
        return [.finish(trip)]
    }

    // MARK: - Reports

    private mutating func report(isSaved: Bool, at now: MonotonicTime) -> [Action] {
        guard self.doubt == nil, let open = self.open, open.hasMoved else { return [] }
        guard open.isAnnounced else {
            self.open?.isAnnounced = true
            (self.updatedAt, self.savedAt) = (now, now)
            return [.begin(open.trip(isFinished: false))]
        }
        var actions: [Action] = []
        if isSaved || self.savedAt.map({ now - $0 >= Self.saveInterval }) ?? true {
            self.savedAt = now
            actions.append(.save)
        }
        guard now - self.updatedAt >= Self.updateInterval else { return actions }
        self.updatedAt = now
        return actions + [.update(open.trip(isFinished: false))]
    }

    // MARK: - Memory

    /// The state that outlives the process.
    ///
    /// - Parameter boot: the present boot.
    package func memory(_ boot: MachineBoot) -> TripMemory {
        // A gap is judged anew by the next process.
        let open = self.doubt?.before ?? self.open
        return TripMemory(
            boot: boot,
            totals: self.totals,
            told: self.told,
            last: self.last,
            open: open.flatMap { $0.isAnnounced ? $0 : nil },
            lastEnd: self.lastEnd
        )
    }

    /// Takes over the state that an earlier process has left.
    ///
    /// - Parameter boot: the present boot.
    package mutating func restore(_ memory: TripMemory, _ boot: MachineBoot, at now: MonotonicTime) {
        let isSameBoot = memory.boot.id == boot.id
        (self.totals, self.told) = (memory.totals, memory.told)
        self.last = memory.last
        self.lastEnd = memory.lastEnd
        if !isSameBoot { self.lastEnd.time = nil }
        if !isSameBoot, self.last != nil, self.last?.boot == nil { self.last?.boot = memory.boot }
        guard var open = memory.open else { return }
        if !isSameBoot { open.boot = open.boot ?? memory.boot }
        self.open = open.moved(to: boot)
        self.restoredAt = now
    }
}
