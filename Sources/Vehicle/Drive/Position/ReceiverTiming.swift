// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The time at which the receiver measured a fix, on the agent's clock.
///
/// Fixes wait on their way, above all on a busy machine, and then several arrive at once. The receiver's time tells how
/// long: the fix that waited least fixes the difference between the two clocks.
package struct ReceiverTiming: Sendable {
    /// The longest delay that is taken off; after a longer one the receiver has set its clock.
    package static let longestDelay = Duration.seconds(2)
    /// The time in which the two clocks may depart by one such time: 200 millionths.
    private static let drift = 5000

    /// The arrival of the last fix, and the smallest difference between arrival and receiver's time up to then.
    private var last: (arrival: MonotonicTime, difference: Duration)?

    package init() {}

    /// Returns the time of a fix, which is not later than its arrival.
    package mutating func measured(_ receiverTime: Timestamp, receivedAt arrival: MonotonicTime) -> MonotonicTime {
        let difference = arrival.sinceBoot - .milliseconds(receiverTime.milliseconds)
        var delay = Duration.zero
        if let last = self.last {
            delay = difference - last.difference - (arrival - last.arrival) / Self.drift
            if !(.zero...Self.longestDelay).contains(delay) { delay = .zero }
        }
        self.last = (arrival, difference - delay)
        return arrival - delay
    }
}
