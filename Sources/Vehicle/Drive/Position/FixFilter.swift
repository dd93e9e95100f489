// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// Separates fixes that can be right from those that cannot.
///
/// A receiver that has just begun guesses, one between high walls or under a jammer jumps, and gpsd may repeat a fix.
/// The filter accepts a fix that the vehicle can have reached since the fix before. Several fixes that agree with each
/// other, but not with the accepted ones, replace them: then the accepted ones were wrong.
package struct FixFilter: Sendable {
    /// The result of a fix.
    package enum Verdict: Hashable, Sendable {
        case accepted
        /// Too few fixes agree since the start, or since a long gap.
        case settling
        /// The vehicle cannot have moved so far.
        case jumping
        /// The receiver estimates an error above ``FixFilter/accuracyLimit``, or its place is 0° N 0° E.
        case inaccurate
        /// The receiver has already reported this fix, or the fixes come faster than ``FixFilter/spacing``.
        case repeated
    }

    /// The largest estimated error of a fix in m: half of a city block.
    package static let accuracyLimit = 200.0
    /// The shortest time between two fixes; receivers for vehicles send one to five in a second.
    package static let spacing = Duration.milliseconds(150)
    /// The age from which a position is no longer the present one.
    package static let staleAge = Duration.seconds(10)
    /// The gap after which the fixes have to settle again.
    package static let settlingGap = Duration.seconds(60)
    /// The numbers of fixes in agreement that begin a track, and that correct one.
    private static let (settlingCount, correctionCount) = (3, 6)
    /// The fastest vehicle in m/s, for a receiver that tells no speed.
    private static let speedLimit = 70.0
    /// The error in m of a receiver that estimates none.
    private static let usualError = 30.0

    /// The newest accepted fix.
    package private(set) var newest: Fix?
    /// The newest of a row of fixes that agree with each other, and their number.
    private var candidate: (fix: Fix, count: Int)?
    private var lastReceived: Fix?
    /// Whether the last fix was not accepted because the vehicle cannot have moved so far.
    package private(set) var isJumping = false

    package init() {}

    /// Judges a fix.
    package mutating func received(_ fix: Fix) -> Verdict {
        if let last = self.lastReceived {
            let isKnown = fix.receiverTime != nil && fix.receiverTime == last.receiverTime
            if isKnown || fix.time - last.time < Self.spacing { return .repeated }
        }
        self.lastReceived = fix
        let isOrigin = fix.coordinate.latitude == 0 && fix.coordinate.longitude == 0
        if isOrigin || fix.accuracy ?? 0 > Self.accuracyLimit { return .inaccurate }
        let known = self.newest.flatMap { fix.time - $0.time <= Self.settlingGap ? $0 : nil }
        if let known, Self.isReachable(fix, from: known) {
            self.accept(fix)
            return .accepted
        }
        let agreed = self.candidate.map { Self.isReachable(fix, from: $0.fix) ? $0.count + 1 : 1 } ?? 1
        if agreed >= (known == nil ? Self.settlingCount : Self.correctionCount) {
            self.accept(fix)
            return .accepted
        }
        self.candidate = (fix, agreed)
        self.isJumping = known != nil
        return known == nil ? .settling : .jumping
    }

    /// Returns whether the newest accepted fix is no longer the present position; true without one.
    package func isStale(at now: MonotonicTime) -> Bool {
        self.newest.map { $0.age(at: now) > Self.staleAge } ?? true
    }

    private mutating func accept(_ fix: Fix) {
        (self.newest, self.candidate, self.isJumping) = (fix, nil, false)
    }

    /// Returns whether a vehicle can have moved from one fix to a later one.
    private static func isReachable(_ fix: Fix, from earlier: Fix) -> Bool {
        var time = (fix.time - earlier.time).seconds
        // Fixes that have waited together in a buffer arrive at once.
        if let end = fix.receiverTime, let start = earlier.receiverTime, end > start {
            let byReceiver = (end - start).seconds
            if byReceiver <= Self.settlingGap.seconds { time = max(time, byReceiver) }
        }
        let error = (fix.accuracy ?? Self.usualError) + (earlier.accuracy ?? Self.usualError) + 20
        var speed = Self.speedLimit
        // No road vehicle accelerates or brakes harder than 12 m/s².
        if let end = fix.speed, let start = earlier.speed { speed = max(end, start) * 1.2 + 5 + min(time, 5) * 6 }
        return earlier.coordinate.distance(to: fix.coordinate) <= speed * time + error
    }
}
