// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import ELM327
package import OBD2
package import Session

/// The trouble codes of a vehicle: the time at which each was first seen, and their changes.
package struct CodeHistory: Sendable {
    /// One code of one ECU.
    package struct Key: Hashable, Comparable, Sendable {
        package let ecu: ECUAddress
        package let code: TroubleCode

        package static func < (left: Key, right: Key) -> Bool {
            (left.ecu, left.code) < (right.ecu, right.code)
        }
    }

    private struct Entry: Sendable {
        var firstSeen: MonotonicTime
        var states: [CodeState]
    }

    private var entries: [Key: Entry] = [:]
    /// The states whose lists were read before.
    private var known: Set<CodeState> = []

    package init() {}

    /// A change between two readings.
    package enum Change: Hashable, Sendable {
        /// The code was present when its list was read for the first time.
        case found(Key, [CodeState])
        case appeared(Key, [CodeState])
        case gone(Key, [CodeState])
    }

    /// Compares a reading with the previous ones.
    ///
    /// The first reading of a list yields ``Change/found(_:_:)``: when its codes appeared is unknown.
    package mutating func update(_ reading: CodeReading) -> [Change] {
        // Without any stored code, the codes of the other lists may be those that are stored.
        guard reading.isKnown || reading.lists[.stored]?.codes.isEmpty == false else { return [] }
        var changes: [Change] = []
        var present: Set<Key> = []
        let read = Set(CodeState.allCases.filter { if case .read = reading.lists[$0] { true } else { false } })
        for (ecu, codes) in reading.states {
            for (code, states) in codes {
                let key = Key(ecu: ecu, code: code)
                present.insert(key)
                if self.entries[key] == nil {
                    changes.append(self.known.isDisjoint(with: states) ? .found(key, states) : .appeared(key, states))
                }
                // A list that could not be read this time leaves its states as they were.
                let unread = self.entries[key]?.states.filter { !read.contains($0) } ?? []
                self.entries[key] = Entry(
                    firstSeen: self.entries[key]?.firstSeen ?? reading.time,
                    states: CodeState.allCases.filter { states.contains($0) || unread.contains($0) }
                )
            }
        }
        for (key, entry) in self.entries where !present.contains(key) {
            guard read.isSuperset(of: entry.states) else {
                self.entries[key]?.states.removeAll { read.contains($0) }
                continue
            }
            self.entries[key] = nil
            changes.append(.gone(key, entry.states))
        }
        self.known.formUnion(read)
        return changes.sorted { Self.key(of: $0) < Self.key(of: $1) }
    }

    /// Returns the time at which a code was first seen.
    package func firstSeen(_ ecu: ECUAddress, _ code: TroubleCode) -> MonotonicTime? {
        self.entries[Key(ecu: ecu, code: code)]?.firstSeen
    }

    private static func key(of change: Change) -> Key {
        switch change {
        case .found(let key, _), .appeared(let key, _), .gone(let key, _): key
        }
    }
}
