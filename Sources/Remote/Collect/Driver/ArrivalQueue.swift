// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The received messages that are not decoded yet, in their order, within a limit of memory.
struct ArrivalQueue: Sendable {
    /// A received message.
    struct Arrival: Sendable {
        var message: Message
        /// The number of the connection on which it arrived.
        var connection: Int
        var time: MonotonicTime
        var date: Timestamp

        fileprivate var size: Int { self.message.payload.count + 256 }
    }

    private let limit: Int
    private var arrivals: [Arrival] = []
    /// The index of the first message; those before it were taken.
    private var first = 0
    private var size = 0
    /// The messages that were dropped for lack of room.
    private(set) var dropped = 0

    /// - Parameter limit: the largest total size in bytes.
    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { self.arrivals.count - self.first }

    /// The time of the oldest message.
    var oldest: MonotonicTime? { self.arrivals.indices.contains(self.first) ? self.arrivals[self.first].time : nil }

    /// Adds a message; drops others if there is no room for it.
    ///
    /// Messages of earlier connections are dropped first, the oldest first: the broker sends them again. A message that
    /// it does not send again, of QoS 0, is dropped itself. Others are never dropped, because the broker limits them.
    mutating func append(_ arrival: Arrival) {
        self.size += arrival.size
        self.arrivals.append(arrival)
        guard self.size > self.limit else { return }
        self.compact()
        var excess = self.size - self.limit
        var kept: [Arrival] = []
        for waiting in self.arrivals {
            let isDroppable = waiting.connection != arrival.connection || waiting.message.packet == nil
            if excess > 0, isDroppable {
                excess -= waiting.size
                self.size -= waiting.size
                self.dropped += 1
            } else {
                kept.append(waiting)
            }
        }
        self.arrivals = kept
    }

    /// Takes the oldest message.
    mutating func next() -> Arrival? {
        guard self.first < self.arrivals.count else { return nil }
        let arrival = self.arrivals[self.first]
        self.first += 1
        self.size -= arrival.size
        if self.first == self.arrivals.count || self.first >= 1024 { self.compact() }
        return arrival
    }

    private mutating func compact() {
        self.arrivals.removeFirst(self.first)
        self.first = 0
    }
}
