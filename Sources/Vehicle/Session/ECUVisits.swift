// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

/// The visits to single ECUs: when they may begin, and how long they last.
///
/// A request to one ECU needs several commands to the adapter before it and after it. So the due requests to one ECU
/// are sent together, as a visit. The standard parameters, those of all ECUs, have to wait meanwhile. So a visit fits
/// between two of their requests. Where that is impossible, they have four times as much time as the visits.
struct ECUVisits: Sendable {
    /// The longest visit.
    static let limit = Duration.seconds(2)
    /// The longest visit that does not fit between two requests for standard parameters.
    static let tightLimit = Duration.seconds(1)
    /// The time for standard parameters after a visit, in lengths of the visit, after which the next may begin anyway.
    static let respite = 4

    private struct Visit: Sendable {
        let destination: Destination
        /// Whether the visit does not fit between two requests for standard parameters.
        let isTight: Bool
        let start: MonotonicTime
        let end: MonotonicTime
    }

    private struct End: Sendable {
        let time: MonotonicTime
        /// The length of the visit; a visit of unknown length counts as a short one.
        var length = Duration.milliseconds(250)

        /// The time at which the standard parameters have had enough time to themselves.
        var respite: MonotonicTime { self.time + self.length * ECUVisits.respite }
    }

    private var visit: Visit?
    /// The end of the last visit; before the first, the time of the first poll.
    private var last: End?
    /// The same of the last visit that did not fit.
    private var lastTight: End?
    private var paces: [Destination: ECUPace] = [:]
    /// The mean duration of a request to all ECUs that ends a visit, with the commands for it.
    private var departure: Duration?
    /// The destination of the last request; nil for all ECUs.
    private var present: Destination?
    /// The ECUs whose silence was reported.
    private var reported: Set<Destination> = []

    /// The ECU that is visited.
    var destination: Destination? { self.visit?.destination }
    /// The mean duration of a request; nil before the first.
    var mean: Duration? {
        let known = self.paces.values.compactMap { $0.stay ?? $0.arrival }
        return known.isEmpty ? nil : known.reduce(.zero, +) / known.count
    }

    /// The ECUs that are put aside for the drive, because they have answered no request in it.
    var aside: Set<Destination> { Set(self.paces.filter(\.value.isAside).keys) }

    // MARK: - Decisions

    /// Whether another request of the visit ends in time.
    func mayStay(at now: MonotonicTime) -> Bool {
        guard let visit = self.visit, let pace = self.paces[visit.destination] else { return false }
        return now + (pace.stay ?? .zero) + (self.departure ?? .zero) <= visit.end
    }

    /// Returns the time of a visit: the requests, and the way there and back.
    func need(of destination: Destination, requests: Int = 1) -> Duration {
        let pace = self.paces[destination]
        let first = self.present == destination ? pace?.stay : pace?.arrival
        let others = (pace?.stay ?? .zero) * max(0, requests - 1)
        return (first ?? .zero) + others + (self.departure ?? .zero)
    }

    /// Returns the earliest time of a request to an ECU, besides the wishes of the standard parameters; nil for one
    /// that is put aside.
    func opening(of destination: Destination) -> MonotonicTime? {
        guard let pace = self.paces[destination] else { return .zero }
        return pace.isAside ? nil : pace.opening
    }

    /// Returns the earliest time of a visit; nil if none is possible yet.
    ///
    /// - Parameters:
    ///   - requests: the number of requests to the ECU that are due.
    ///   - limits: those of the standard parameters.
    func opening(
        of destination: Destination,
        requests: Int,
        at now: MonotonicTime,
        _ limits: PollSchedule.StandardLimits?
    ) -> MonotonicTime? {
        guard let opening = self.opening(of: destination) else { return nil }
        guard let limits else { return opening }
        let shortest = self.need(of: destination)
        // Few visits are enough if each has time for what is due.
        let wish = min(self.need(of: destination, requests: requests), max(shortest, limits.shortest))
        guard now + wish > limits.deadline else { return opening }
        // Standard parameters are requested between this visit and the one before.
        guard self.present == nil else { return nil }
        // A visit that fits elsewhere waits for that, unless the standard parameters are late themselves.
        let mayFit = shortest <= limits.shortest
        guard let end = mayFit ? self.last : self.lastTight else { return nil }
        return max(opening, end.respite, mayFit ? limits.deadline : .zero)
    }

    /// Whether a visit may begin although standard parameters are due.
    func isDue(at now: MonotonicTime) -> Bool { self.lastTight.map { $0.respite <= now } ?? false }

    // MARK: - Requests

    /// Records that a request is sent: it begins, continues or ends a visit.
    mutating func asked(_ destination: Destination?, at now: MonotonicTime, _ limits: PollSchedule.StandardLimits?) {
        guard destination == nil || destination != self.visit?.destination else { return }
        self.leave(at: now)
        guard let destination else {
            if self.last == nil { self.last = End(time: now) }
            if self.lastTight == nil { self.lastTight = End(time: now) }
            return
        }
        let isTight = limits.map { now + self.need(of: destination) > $0.deadline } ?? false
        let end = isTight ? now + Self.tightLimit : min(now + Self.limit, limits?.deadline ?? now + Self.limit)
        self.visit = Visit(destination: destination, isTight: isTight, start: now, end: end)
    }

    /// Records the duration of a request.
    mutating func requestEnded(to destination: Destination?, after time: Duration) {
        defer { self.present = destination }
        if let destination {
            self.paces[destination, default: ECUPace()].requestEnded(
                after: time,
                isFirst: self.present != destination
            )
        } else if self.present != nil {
            self.departure.smooth(time)
        }
    }

    /// Whether the next request to all ECUs ends a visit, so that it takes longer than others.
    var isAway: Bool { self.present != nil }

    /// Takes over the outcome of a request.
    ///
    /// - Parameter outcome: the outcome; nil if it says nothing about the ECU.
    /// - Returns: whether the ECU has just been put aside, for the first time.
    mutating func ended(_ destination: Destination?, _ outcome: BusOutcome?, at now: MonotonicTime) -> Bool {
        if destination != self.visit?.destination { self.leave(at: now) }
        guard let destination, let outcome else { return false }
        if self.paces[destination, default: ECUPace()].answered(outcome, at: now) { self.leave(at: now) }
        return self.paces[destination]?.isAside ?? false && self.reported.insert(destination).inserted
    }

    private mutating func leave(at now: MonotonicTime) {
        guard let visit = self.visit else { return }
        self.paces[visit.destination]?.rest(at: now)
        let end = End(time: now, length: now - visit.start + (self.departure ?? .zero))
        self.last = end
        if visit.isTight { self.lastTight = end }
        self.visit = nil
    }

    /// Requests the ECUs again that were put aside.
    mutating func driveBegan() {
        for destination in self.paces.keys { self.paces[destination]?.driveBegan() }
    }

    // MARK: - Forecast

    /// Returns the share of the link that the visits need, divided by the share that they can have; and the part of the
    /// time that visits take away from standard parameters that have shorter intervals.
    ///
    /// - Parameters:
    ///   - periods: the times between two requests, by ECU.
    ///   - load: the share of the link that the standard parameters need.
    ///   - shortest: the shortest interval of these; nil if there are none.
    ///   - unknown: the duration of a request to an ECU that was not requested yet.
    func forecast(
        _ periods: [Destination: [Duration]],
        beside load: Double,
        _ shortest: Duration?,
        unknown: Duration
    ) -> (load: Double, loss: Double) {
        let tightShare = shortest == nil ? 1 : 1 / Double(1 + Self.respite)
        var fitting = 0.0
        var tight = 0.0
        for (destination, periods) in periods {
            let pace = self.paces[destination] ?? ECUPace()
            guard !pace.isAside else { continue }
            let arrival = pace.arrival ?? pace.stay ?? unknown
            let stay = (pace.stay ?? arrival).seconds
            let way = max(0, arrival.seconds - stay) + (self.departure ?? .zero).seconds
            let fits = shortest.map { arrival + (self.departure ?? .zero) <= $0 } ?? true
            let length = fits ? min(Self.limit, shortest ?? Self.limit) : Self.tightLimit
            let requests = periods.reduce(0) { $0 + 1 / $1.seconds }
            let atOnce = max(1, min(Double(periods.count), ((length.seconds - way) / stay).rounded(.down)))
            let visits = max(1 / (periods.min() ?? Self.limit).seconds, requests / atOnce)
            let share = requests * stay + visits * way
            if fits { fitting += share } else { tight += share }
        }
        return (fitting / max(1 - load, tightShare) + tight / tightShare, min(tight, tightShare))
    }
}
