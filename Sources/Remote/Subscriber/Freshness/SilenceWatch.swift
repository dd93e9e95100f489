// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// Notices that a granted subscription brings no message at all.
///
/// A broker grants a subscription and delivers nothing if its access list forbids this user to read: MQTT has no other
/// way. An agent retains its state, so at least that arrives at once.
package struct SilenceWatch: Hashable, Sendable {
    /// The time without a message that is suspicious.
    private let limit: Duration
    /// Whether any message has arrived.
    package private(set) var hasHeard = false
    /// Whether the broker has ever granted the subscription.
    package private(set) var hasSubscribed = false
    private var start: MonotonicTime?
    private var isReported = false

    /// - Parameter limit: the time without a message that is suspicious.
    package init(after limit: Duration = .seconds(5)) {
        self.limit = limit
    }

    /// The broker granted the subscription.
    package mutating func subscribed(at now: MonotonicTime) { (self.start, self.hasSubscribed) = (now, true) }

    package mutating func messageReceived() { self.hasHeard = true }

    package mutating func connectionLost() { self.start = nil }

    /// Returns whether the silence has lasted too long.
    package func isSuspicious(at now: MonotonicTime) -> Bool {
        guard !self.hasHeard, let start else { return false }
        return now - start >= self.limit
    }

    /// Returns whether a suspicious silence is to be reported now: once, not again after the next connection.
    package mutating func isDue(at now: MonotonicTime) -> Bool {
        guard !self.isReported, self.isSuspicious(at: now) else { return false }
        self.isReported = true
        return true
    }

    /// The meaning of the silence, for people.
    ///
    /// - Parameter topics: the topics that were subscribed to.
    package static func words(_ topics: String) -> String {
        "The broker has granted \(topics), and sends nothing of it. Either its access list does not let this user read, "
            + "which a broker does not tell, or no agent has ever published there."
    }

    /// The next step of the user.
    package static let nextStep =
        "a rule in the broker's access list that lets this user read these topics; obd-remote list, which shows the vehicles."
}
