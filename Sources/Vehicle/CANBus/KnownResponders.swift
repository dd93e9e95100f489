// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327

/// The ECUs that answer each broadcast, so that a wait ends with the last of their replies.
///
/// Live data is known for each PID by itself, because polls group the PIDs that are due, each time differently.
struct KnownResponders: Sendable {
    private enum Key: Hashable, Sendable {
        case request(BusRequest)
        /// A PID of service 01.
        case pid(UInt8)
    }

    private struct Entry: Sendable {
        var ecus: Set<ECUAddress>
        /// The number of whole waits in a row after which these ECUs had answered.
        var count: Int
    }

    /// The number of whole waits with the same ECUs after which no other ECU is waited for.
    private static let proofs = 2
    /// The most requests that are remembered; beyond that all are learned again.
    private static let limit = 256

    private var entries: [Key: Entry] = [:]

    private static func keys(_ request: BusRequest) -> [Key] {
        guard request.service == 0x01, request.addressing == nil, request.payload.count > 1 else {
            var key = request
            // It grows while an adapter's answers become known, and means nothing to the ECUs.
            key.frameCount = nil
            return [.request(key)]
        }
        return request.payload.dropFirst().map(Key.pid)
    }

    /// Returns the ECUs that answer a broadcast; nil if they are not known yet.
    func ecus(for request: BusRequest) -> Set<ECUAddress>? {
        var ecus: Set<ECUAddress> = []
        for key in Self.keys(request) {
            guard let entry = self.entries[key], entry.count >= Self.proofs else { return nil }
            ecus.formUnion(entry.ecus)
        }
        return ecus
    }

    /// Takes over the ECUs that have answered within a whole wait.
    mutating func waited(for request: BusRequest, answered: Set<ECUAddress>) {
        guard !answered.isEmpty else { return self.forget(request) }
        let keys = Self.keys(request)
        for key in keys {
            guard let entry = self.entries[key] else {
                if self.entries.count >= Self.limit { self.entries = [:] }
                self.entries[key] = Entry(ecus: answered, count: 1)
                continue
            }
            // An ECU that answers several PIDs may lack this one. One that is missing lacks all of them.
            let ecus = keys.count > 1 ? entry.ecus.intersection(answered) : answered
            if ecus == entry.ecus {
                self.entries[key]?.count = min(entry.count + 1, Self.proofs)
            } else {
                self.entries[key] = ecus.isEmpty ? nil : Entry(ecus: ecus, count: 1)
            }
        }
    }

    /// Forgets the ECUs of a request, because another one answers it too.
    mutating func forget(_ request: BusRequest) {
        for key in Self.keys(request) { self.entries[key] = nil }
    }
}
