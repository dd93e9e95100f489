// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// Notices that a granted subscription brings no message at all.
///
/// A broker grants a subscription and delivers nothing if its access list forbids this user to read: MQTT has no other
/// way. An agent retains its state, so at least that arrives at once.
package struct SilenceWatch: Hashable, Sendable {
    /// The time without a message that is suspicious.
    package static let limit = Duration.seconds(5)

    /// Whether any message has arrived.
    package private(set) var hasHeard = false
    private var start: MonotonicTime?

    package init() {}

    /// The broker granted the subscription.
    package mutating func subscribed(at now: MonotonicTime) { self.start = now }

    package mutating func messageReceived() { self.hasHeard = true }

    package mutating func connectionLost() { self.start = nil }

    /// Returns whether the silence has lasted for ``limit``.
    package func isSuspicious(at now: MonotonicTime) -> Bool {
        guard !self.hasHeard, let start else { return false }
        return now - start >= Self.limit
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
