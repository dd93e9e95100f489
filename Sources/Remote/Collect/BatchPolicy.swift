// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// Decides when the gathered messages are written.
///
/// A broker sends only so many messages before it waits for their acknowledgments, so a batch does not wait long for
/// more. While a batch is written, the next one gathers: the slower the database, the larger the batches.
package struct BatchPolicy: Hashable, Sendable {
    /// The limits of a batch.
    package struct Limits: Hashable, Sendable {
        /// The numbers of messages and bytes from which on a batch does not wait.
        package var messages = 500
        package var bytes = 4 << 20
        /// The time without a message after which no more is awaited.
        package var quiet = Duration.milliseconds(3)
        /// The longest wait since the first message.
        package var longest = Duration.milliseconds(20)

        package init() {}
    }

    private let limits: Limits
    private var messages = 0
    private var bytes = 0
    private var first: MonotonicTime?
    private var last = MonotonicTime.zero
    private var isWriting = false

    package init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    /// The time at which ``timePassed(at:)`` returns true at the latest; nil while nothing waits, or while a batch is
    /// written.
    package var deadline: MonotonicTime? {
        guard let first, !self.isWriting else { return nil }
        if self.messages >= self.limits.messages || self.bytes >= self.limits.bytes { return self.last }
        return min(first + self.limits.longest, self.last + self.limits.quiet)
    }

    /// A message was added to the gathered ones; returns whether these are to be written now.
    package mutating func messageReceived(bytes: Int, at now: MonotonicTime) -> Bool {
        self.messages += 1
        self.bytes += bytes
        self.first = self.first ?? now
        self.last = now
        return self.timePassed(at: now)
    }

    /// The batch was written, or the writer has given up; returns whether the gathered messages are to be written now.
    package mutating func writerBecameFree(at now: MonotonicTime) -> Bool {
        self.isWriting = false
        return self.timePassed(at: now)
    }

    /// Returns whether the gathered messages are to be written now; then the next batch begins, and the writer is busy.
    package mutating func timePassed(at now: MonotonicTime) -> Bool {
        guard let deadline = self.deadline, now >= deadline else { return false }
        (self.messages, self.bytes, self.first, self.isWriting) = (0, 0, nil, true)
        return true
    }

    /// The connection to the broker is lost, and with it the gathered messages, which come again.
    package mutating func connectionLost() {
        (self.messages, self.bytes, self.first) = (0, 0, nil)
    }
}
