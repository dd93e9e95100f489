// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Drive
import ELM327
import OBD2
import Session

/// The times at which the codes of a vehicle were first seen, as they outlive the process.
struct CodeMemory: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var states: [CodeState]
        var since: RememberedTime
    }

    /// The codes that were present when their lists were read last, by ``name(of:)``.
    private var entries: [String: Entry] = [:]

    init() {}

    /// Takes over the codes after a reading.
    ///
    /// - Parameters:
    ///   - present: the present codes with their states.
    ///   - read: the states whose lists were read. A code of another list may still be there.
    ///   - now: the time of the reading, in the present boot.
    mutating func codesRead(
        _ present: some Sequence<(key: CodeHistory.Key, states: [CodeState])>,
        _ read: Set<CodeState>,
        at now: RememberedTime
    ) {
        var entries = self.entries.compactMapValues { entry -> Entry? in
            let states = entry.states.filter { !read.contains($0) }
            return states.isEmpty ? nil : Entry(states: states, since: entry.since)
        }
        for (key, states) in present {
            let name = Self.name(of: key)
            entries[name] = Entry(states: states, since: self.entries[name]?.since ?? now)
        }
        self.entries = entries
    }

    /// A code that is no longer present.
    struct Gone: Hashable, Sendable {
        let ecu: String
        let code: String
        let states: [CodeState]
    }

    /// Returns the codes of this memory that a later one lacks, in their order.
    func gone(in later: CodeMemory) -> [Gone] {
        self.entries.filter { later.entries[$0.key] == nil }.sorted { $0.key < $1.key }
            .compactMap { name, entry in
                let words = name.split(separator: " ")
                return words.count == 2 ? Gone(ecu: "\(words[0])", code: "\(words[1])", states: entry.states) : nil
            }
    }

    /// Returns the time at which a code was first seen; nil if it is not known.
    func firstSeen(_ key: CodeHistory.Key) -> RememberedTime? { self.entries[Self.name(of: key)]?.since }

    /// Takes over the date of the present boot, because the clock is synchronized from now on.
    mutating func clockSynchronised(_ boot: MachineBoot) {
        for name in self.entries.keys { self.entries[name]?.since.clockSynchronised(boot) }
    }

    private static func name(of key: CodeHistory.Key) -> String { "\(key.ecu) \(key.code)" }

    // MARK: - The stored form

    /// Restores the memory; empty if the form is damaged.
    ///
    /// A time of an earlier boot without a date is dropped: the code then counts as first seen by this process.
    ///
    /// - Parameter boot: the id of the present boot.
    init(_ json: JSON, boot: String) {
        for (name, entry) in json["codes"].members {
            let texts = entry["states"].elements.compactMap(\.string)
            let states = CodeState.allCases.filter { texts.contains(ContractMapping.state($0).rawValue) }
            guard !states.isEmpty, let since = RememberedTime(entry) else { continue }
            if case .time(_, let other) = since, other != boot { continue }
            self.entries[name] = Entry(states: states, since: since)
        }
    }

    /// The stored form.
    var json: JSON {
        let codes = self.entries.mapValues { entry -> JSON in
            let states = entry.states.map { JSON.string(ContractMapping.state($0).rawValue) }
            return .object(entry.since.members.merging(["states": .array(states)]) { $1 })
        }
        return ["codes": .object(codes)]
    }
}
