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
        var end: MonotonicTime?
        for index in self.entries.indices {
            let entry = self.entries[index]
            guard now < entry.end, entry.route.accepts(ecu), !entry.answered.contains(ecu) else { continue }
            switch entry.request.match(message) {
            case .none: continue
            case .negative(0x78):
                // The ECU may mean any of the requests.
                self.entries[index].end = max(entry.end, now + CANTiming.pending)
                end = max(end ?? now, self.entries[index].end)
            case .negative, .positive:
                if settles { self.entries[index].answered.insert(ecu) }
                return entry.end
            }
        }
        return end
    }

    /// Returns the time after which no reply to an earlier request of this service can arrive.
    func quietTime(for service: UInt8) -> MonotonicTime? {
        self.entries.lazy.filter { $0.request.service == service }.map(\.end).max()
    }
}
