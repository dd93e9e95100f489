// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2
package import Session
package import Base

/// When each code was seen first, and which came and went.
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
    /// The lists that were read before.
    private var known: Set<CodeState> = []

    package init() {}

    package enum Change: Hashable, Sendable {
        /// It was there when its list was read for the first time.
        case found(Key, [CodeState])
        case appeared(Key, [CodeState])
        case gone(Key, [CodeState])
    }

    /// Compares a reading with those before.
    ///
    /// The first of a list tells what is there: nobody knows since when.
    package mutating func update(_ reading: CodeReading) -> [Change] {
        guard reading.isKnown else { return [] }
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
                // A list that could not be read this time says nothing about what stood in it.
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

    /// When a code was seen first.
    package func firstSeen(_ ecu: ECUAddress, _ code: TroubleCode) -> MonotonicTime? {
        self.entries[Key(ecu: ecu, code: code)]?.firstSeen
    }

    private static func key(of change: Change) -> Key {
        switch change {
        case .found(let key, _), .appeared(let key, _), .gone(let key, _): key
        }
    }
}
