// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// A batch while messages are added to it.
struct OpenBatch: Sendable {
    /// The largest number of messages.
    static let messageLimit = 2000
    /// The size of the decoded messages from which on a batch takes no more, in bytes.
    static let sizeLimit = 16 << 20

    var batch = Batch()
    /// The facts about agents in the states.
    var presences: [AgentPresence] = []
    /// Whether the batch is to be written now.
    var isDue = false
    /// The number of the connection that can acknowledge the packets.
    private(set) var connection = 0
    /// The number of messages.
    private(set) var count = 0
    /// The time at which the first message was received.
    private(set) var oldest: MonotonicTime?
    private var size = 0

    var isFull: Bool { self.count >= Self.messageLimit || self.size >= Self.sizeLimit }

    /// Adds a decoded message.
    mutating func add(_ decoded: MessageDecoder.Decoded, _ arrival: ArrivalQueue.Arrival) {
        self.count += 1
        self.oldest = self.oldest ?? arrival.time
        if arrival.connection > self.connection {
            // A new connection cannot acknowledge the packets of an earlier one, whose identifiers mean others now.
            (self.connection, self.batch.packets) = (arrival.connection, [])
        }
        let isPresent = arrival.connection == self.connection
        let packet = isPresent ? arrival.message.packet?.rawValue : nil
        self.batch.add(decoded, size: arrival.message.payload.count, packet: packet, at: arrival.date)
        self.size += decoded.size
        if case .state(_, _, let presence?) = decoded { self.presences.append(presence) }
    }
}
