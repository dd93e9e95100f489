// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract

/// What must not be lost: the records that the broker has not acknowledged, and their numbers.
///
/// It lives in memory, and dies with the process.
package actor Store {
    /// The room for records, in bytes.
    package static let outboxLimit = 16 * 1024 * 1024

    private let agent: String
    private let epoch: UInt64
    private var lastNumbers: [RecordStream: UInt64] = [:]
    private var outbox = Outbox(limit: Store.outboxLimit)

    /// - Parameter epoch: greater than that of any earlier start of this agent.
    package init(agent: String, epoch: UInt64) {
        self.agent = agent
        self.epoch = epoch
    }

    /// Numbers a record and keeps it until it is acknowledged.
    ///
    /// - Parameter encode: makes the payload, with the number in it.
    /// - Returns: what had to be thrown away for it.
    package func append(
        to stream: RecordStream,
        destination: Outbox.Destination,
        encode: @Sendable (RecordNumber) throws -> [UInt8]
    ) rethrows -> [Outbox.Gap] {
        let seq = (self.lastNumbers[stream] ?? 0) + 1
        let payload = try encode(RecordNumber(agent: self.agent, epoch: self.epoch, seq: seq))
        self.lastNumbers[stream] = seq
        return self.outbox.append(
            Outbox.Entry(stream: stream, seq: seq, payload: payload, destination: destination)
        )
    }

    /// The next record to publish; nil when none waits.
    package func next() -> Outbox.Entry? { self.outbox.next() }

    /// The broker has acknowledged the record.
    package func acknowledge(_ entry: Outbox.Entry) { self.outbox.acknowledge(entry) }

    /// The connection is lost: what it carried is sent again over the next.
    package func returnInFlight() { self.outbox.returnInFlight() }

    /// How many records wait for the broker, and how many were thrown away.
    package var depth: (records: Int, dropped: Int) { (self.outbox.count, self.outbox.dropped) }
}
