// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2
package import Session
package import Timing

/// When each code was seen first, and which came and went.
package struct CodeHistory: Sendable {
    /// One code of one ECU.
    package struct Key: Hashable, Comparable, Sendable {
        package let ecu: ECUAddress
        package let code: DTC

        package static func < (left: Key, right: Key) -> Bool {
            (left.ecu, left.code) < (right.ecu, right.code)
        }
    }

    private struct Entry: Sendable {
        var firstSeen: MonotonicTime
        var states: [CodeState]
    }

    private var entries: [Key: Entry] = [:]
    private var isFirst = true

    package init() {}

    package enum Change: Hashable, Sendable {
        case appeared(Key, [CodeState])
        case gone(Key, [CodeState])
    }

    /// Compares a reading with those before.
    ///
    /// The first only tells what is there: nobody knows since when.
    package mutating func update(_ reading: CodeReading) -> [Change] {
        guard reading.isKnown else { return [] }
        var changes: [Change] = []
        var present: Set<Key> = []
        for (ecu, codes) in reading.states {
            for (code, states) in codes {
                let key = Key(ecu: ecu, code: code)
                present.insert(key)
                if self.entries[key] == nil { changes.append(.appeared(key, states)) }
                self.entries[key] = Entry(firstSeen: self.entries[key]?.firstSeen ?? reading.time, states: states)
            }
        }
        for (key, entry) in self.entries where !present.contains(key) {
            // A list that could not be read this time says nothing about what stood in it.
            guard entry.states.allSatisfy({ if case .read = reading.lists[$0] { true } else { false } }) else {
                continue
            }
            self.entries[key] = nil
            changes.append(.gone(key, entry.states))
        }
        defer { self.isFirst = false }
        return self.isFirst ? [] : changes.sorted { Self.key(of: $0) < Self.key(of: $1) }
    }

    /// When a code was seen first.
    package func firstSeen(_ ecu: ECUAddress, _ code: DTC) -> MonotonicTime? {
        self.entries[Key(ecu: ecu, code: code)]?.firstSeen
    }

    private static func key(of change: Change) -> Key {
        switch change {
        case .appeared(let key, _), .gone(let key, _): key
        }
    }
}
