// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The signs of life on a bus that is only listened to.
///
/// Traffic shows that the vehicle is awake, and that the bit rate is right. Errors without a frame show another bit rate.
package struct TrafficWatch: Hashable, Sendable {
    /// An error that the controller reports.
    package enum Fault: Hashable, Sendable {
        /// A frame violates the rules of the bus.
        case violation
        /// The controller has left the bus.
        case busOff
    }

    package enum Verdict: Hashable, Sendable {
        /// Nothing has arrived yet.
        case silent
        /// A node of the bus sends.
        case traffic
        case otherBitRate
        case busOff
    }

    /// The number of damaged frames without a whole one that shows another bit rate; one may be that of a node that wakes.
    private static let violationLimit = 3
    /// The time to listen to a bus: nodes that are awake send every second at least.
    package static let duration = Duration.milliseconds(1200)

    private let end: MonotonicTime
    private var violations = 0
    private(set) package var verdict = Verdict.silent

    package init(from now: MonotonicTime, for duration: Duration = TrafficWatch.duration) {
        self.end = now + duration
    }

    /// Returns the end of the wait; nil once it is over.
    package func deadline(at now: MonotonicTime) -> MonotonicTime? {
        self.verdict == .silent && now < self.end ? self.end : nil
    }

    /// Takes a frame of another node.
    package mutating func frameReceived() { self.verdict = .traffic }

    package mutating func faultReported(_ fault: Fault) {
        guard self.verdict != .traffic else { return }
        switch fault {
        case .busOff: self.verdict = .busOff
        case .violation:
            self.violations += 1
            if self.violations >= Self.violationLimit { self.verdict = .otherBitRate }
        }
    }
}
