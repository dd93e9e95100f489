// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327

/// The ECUs that answer each broadcast, so that a wait ends with the last of their replies.
struct KnownResponders: Sendable {
    private struct Entry: Sendable {
        var ecus: Set<ECUAddress>
        /// The number of whole waits in a row after which these ECUs had answered.
        var count: Int
    }

    /// The number of whole waits with the same ECUs after which no other ECU is waited for.
    private static let proofs = 2
    /// The most requests that are remembered; beyond that all are learned again.
    private static let limit = 256

    private var entries: [BusRequest: Entry] = [:]

    /// Returns the ECUs that answer a broadcast; nil if they are not known yet.
    func ecus(for request: BusRequest) -> Set<ECUAddress>? {
        guard let entry = self.entries[request], entry.count >= Self.proofs else { return nil }
        return entry.ecus
    }

    /// Takes over the ECUs that have answered within a whole wait.
    mutating func waited(for request: BusRequest, answered: Set<ECUAddress>) {
        guard !answered.isEmpty else { return self.forget(request) }
        if let entry = self.entries[request], entry.ecus == answered {
            self.entries[request]?.count = min(entry.count + 1, Self.proofs)
        } else {
            if self.entries.count >= Self.limit { self.entries = [:] }
            self.entries[request] = Entry(ecus: answered, count: 1)
        }
    }

    /// Forgets the ECUs of a request, because another one answers it too.
    mutating func forget(_ request: BusRequest) { self.entries[request] = nil }
}
