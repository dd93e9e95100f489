// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// Decides whether the time that a receiver tells is that of the satellites.
///
/// The date of GPS counts weeks modulo 1024. A receiver that maps them to the wrong 19.6 years tells a right position
/// at a wrong date.
package struct ReceiverClock: Sendable {
    /// The result of a fix.
    package enum Verdict: Hashable, Sendable {
        /// Too few fixes agree, or the receiver tells no time.
        case unknown
        /// The date is before this program existed, or 1024 weeks after that.
        case wrongWeek
        /// The time at which the fix was received, by the satellites; up to a second too early.
        case right(Timestamp)
    }

    /// The largest difference at which the machine's clock is right.
    ///
    /// A receiver reports a fix up to a second after its time.
    package static let tolerance = Duration.seconds(2)
    /// A date before this program existed.
    package static let earliest = Timestamp(milliseconds: 1_767_225_600_000)
    private static let rollover = Duration.seconds(1024 * 7 * 24 * 3600)
    /// The number of fixes in a row whose times pass as the machine's do.
    private static let agreement = 5
    /// The largest difference, in ms, between the times that pass for the receiver and for the machine from fix to fix.
    private static let driftLimit = 800.0

    private var last: Fix?
    private var count = 0

    package init() {}

    /// Takes over a fix.
    package mutating func received(_ fix: Fix) -> Verdict {
        guard let time = fix.receiverTime else { return .unknown }
        guard time >= Self.earliest, time < Self.earliest + Self.rollover else {
            (self.last, self.count) = (nil, 0)
            return .wrongWeek
        }
        let passed = self.last.flatMap { last in last.receiverTime.map { (time - $0) - (fix.time - last.time) } }
        let isSteady = passed.map { Double($0.milliseconds).magnitude <= Self.driftLimit } ?? false
        self.count = isSteady ? min(self.count + 1, Self.agreement) : 1
        self.last = fix
        return self.count >= Self.agreement ? .right(time) : .unknown
    }
}
