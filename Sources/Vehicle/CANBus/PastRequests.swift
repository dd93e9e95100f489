// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327

/// The earlier requests that ECUs may still answer.
///
/// A reply that fits an unanswered earlier request counts as the late reply to that one, also if it fits the present
/// request. The present request then lacks a reply, and is repeated once no late reply can arrive any more.
struct PastRequests: Sendable {
    private struct Entry: Sendable {
        let request: BusRequest
        let route: CANRoute
        var answered: Set<ECUAddress>
        var end: MonotonicTime
    }

    /// The most requests that are remembered; beyond that the oldest are forgotten.
    private static let limit = 256

    private var entries: [Entry] = []

    mutating func append(
        _ request: BusRequest,
        _ route: CANRoute,
        answered: Set<ECUAddress>,
        until end: MonotonicTime
    ) {
        if self.entries.count >= Self.limit { self.entries.removeFirst() }
        self.entries.append(Entry(request: request, route: route, answered: answered, end: end))
    }

    /// Forgets the requests whose time is over.
    mutating func expire(at now: MonotonicTime) {
        if self.entries.contains(where: { $0.end <= now }) { self.entries.removeAll { $0.end <= now } }
    }

    /// Takes a message as the late reply to an earlier request.
    ///
    /// - Parameter settles: whether the earlier request is answered then. It is not if the message may be the copy of
    ///   another, or the answer to the present request.
    /// - Returns: the time until which a late reply to that request may arrive; nil if no request fits.
    mutating func take(
        _ message: [UInt8],
        from ecu: ECUAddress,
        settles: Bool,
        at now: MonotonicTime
    ) -> MonotonicTime? {
        let matches = self.entries.indices.filter { index in
            let entry = self.entries[index]
            return now < entry.end && entry.route.accepts(ecu) && !entry.answered.contains(ecu)
                && entry.request.match(message) != .none
        }
        guard let first = matches.first else { return nil }
        if self.entries[first].request.match(message) == .negative(0x78) {
            for index in matches { self.entries[index].end = max(self.entries[index].end, now + CANTiming.pending) }
        } else if settles, matches.allSatisfy({ self.entries[$0].request == self.entries[first].request }) {
            // A refusal may belong to any of several requests, and then settles none.
            self.entries[first].answered.insert(ecu)
        }
        return matches.map { self.entries[$0].end }.max()
    }

    /// Returns the time after which no reply to an earlier request of this service can arrive.
    func quietTime(for service: UInt8) -> MonotonicTime? {
        self.entries.lazy.filter { $0.request.service == service }.map(\.end).max()
    }
}
