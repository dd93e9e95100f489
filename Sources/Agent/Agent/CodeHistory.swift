// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Drive
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

    /// The id of the machine's boot.
    private let boot: String
    /// The states of the codes that this process has seen.
    private var entries: [Key: [CodeState]] = [:]
    /// The states whose lists were read before.
    private var known: Set<CodeState> = []
    /// The times at which the codes were first seen, which a later process takes over.
    private(set) var memory: CodeMemory

    /// - Parameters:
    ///   - boot: the id of the machine's boot.
    ///   - memory: the times that an earlier process has stored.
    init(boot: String, memory: CodeMemory = CodeMemory()) {
        self.boot = boot
        self.memory = memory
    }

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
                let unread = self.entries[key]?.filter { !read.contains($0) } ?? []
                self.entries[key] = CodeState.allCases.filter { states.contains($0) || unread.contains($0) }
            }
        }
        for (key, states) in self.entries where !present.contains(key) {
            guard read.isSuperset(of: states) else {
                self.entries[key]?.removeAll { read.contains($0) }
                continue
            }
            self.entries[key] = nil
            changes.append(.gone(key, states))
        }
        self.known.formUnion(read)
        let states = self.entries.lazy.map { (key: $0.key, states: $0.value) }
        self.memory.codesRead(states, read, at: .time(reading.time, boot: self.boot))
        return changes.sorted { Self.key(of: $0) < Self.key(of: $1) }
    }

    /// Returns the date at which a code was first seen since it was last gone, by this process or an earlier one.
    package func firstSeen(_ ecu: ECUAddress, _ code: TroubleCode, by clock: any CalendarClock) -> Timestamp? {
        self.memory.firstSeen(Key(ecu: ecu, code: code))?.date(MachineBoot(self.boot, clock))
    }

    /// Takes over the date of the present boot, if the clock is synchronized.
    package mutating func timePassed(by clock: any CalendarClock) {
        let boot = MachineBoot(self.boot, clock)
        if boot.isSynchronised { self.memory.clockSynchronised(boot) }
    }

    private static func key(of change: Change) -> Key {
        switch change {
        case .found(let key, _), .appeared(let key, _), .gone(let key, _): key
        }
    }
}
