// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import MQTT
import Synchronization

/// The bounded queue of messages on the command topic; a message that finds it full is dropped.
final class CommandInbox: Sendable {
    /// The queued messages.
    ///
    /// A single task may read them.
    let messages: AsyncStream<Message>
    private let continuation: AsyncStream<Message>.Continuation
    /// Allows a report of dropped messages a minute.
    private let reports: Mutex<TokenBucket>

    init(limit: Int, at now: MonotonicTime) {
        (self.messages, self.continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(limit))
        self.reports = Mutex(TokenBucket(capacity: 1, interval: .seconds(60), at: now))
    }

    /// Queues a message.
    ///
    /// - Returns: if the message was dropped and a report is due, the number of earlier unreported drops; else nil.
    func add(_ message: Message, at now: MonotonicTime) -> Int? {
        guard case .dropped = self.continuation.yield(message) else { return nil }
        return self.reports.withLock { $0.take(at: now) }
    }

    /// Ends ``messages`` after the queued ones.
    func finish() { self.continuation.finish() }
}
