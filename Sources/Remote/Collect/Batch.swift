// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The decoded messages that are written together.
package struct Batch: Sendable {
    package var records: [CollectedRecord] = []
    package var states: [CollectedState] = []
    package var changes: [StreamChange] = []
    package var rejected: [RejectedMessage] = []
    /// The packet identifiers of the messages, to be acknowledged once they are committed.
    package var packets: [UInt16] = []
    /// The size of the payloads in bytes.
    package var bytes = 0
    /// The date at which the first message was received.
    package var receivedAt: Timestamp?

    package init() {}

    package var isEmpty: Bool {
        self.records.isEmpty && self.states.isEmpty && self.changes.isEmpty && self.rejected.isEmpty
            && self.packets.isEmpty
    }
}

/// A change of what is known about a stream, without a record.
package struct StreamChange: Hashable, Sendable {
    package var key: StreamKey
    package var fact: Fact

    /// The new fact.
    package enum Fact: Hashable, Sendable {
        /// A number is known to exist.
        case exists(UInt64)
        /// The agent says that this is its highest number at present.
        case reaches(UInt64)
        /// The agent does not have the records of these numbers.
        case lost(NumberSet)
        /// No number above this one exists, because the epoch is over.
        case ended(UInt64)
        /// A request for holes has gone to the agent; no collector looks at the stream before this date.
        case asked(next: Timestamp)
        /// The agent sends some of the records.
        case promised
        /// No request was needed or possible; no collector looks at the stream before this date.
        case released(next: Timestamp)
    }

    package init(_ key: StreamKey, _ fact: Fact) {
        self.key = key
        self.fact = fact
    }
}

/// A message that is no valid record or state.
package struct RejectedMessage: Hashable, Sendable {
    package var message: Message
    /// The date at which it was received.
    package var time: Timestamp
    /// A sentence part about what is wrong.
    package var reason: String
    /// The number of the damaged record; nil if the message has none.
    ///
    /// The number counts as lost, so that no collector asks for the record again.
    package var number: Number?

    /// The number of a record.
    package struct Number: Hashable, Sendable {
        package var key: StreamKey
        package var seq: UInt64
    }

    package init(_ message: Message, at time: Timestamp, reason: String, number: Number? = nil) {
        self.message = message
        self.time = time
        self.reason = reason
        self.number = number
    }
}
