// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

/// The health of a running agent, as its health file has it: lines of `key=value`.
///
/// The package's own script reads these lines, also those of the version before or after. So a key never changes its
/// meaning, and a reader ignores the keys that it does not know.
package struct AgentHealth: Hashable, Sendable {
    /// The parts that an upgrade must not lose.
    package enum Part: String, CaseIterable, Sendable {
        case broker, adapter, vehicle, store
    }

    /// The state of one part.
    package struct PartState: Hashable, Sendable {
        /// The state in a word.
        package var word: String
        /// The time since which the part is in this state; nil if it is unknown.
        package var since: Timestamp?
        /// The seconds that an agent has run since the part was in order; 0: it is now; nil: it never was.
        package var ago: Int?

        package init(word: String, since: Timestamp? = nil, ago: Int? = nil) {
            self.word = word
            self.since = since
            self.ago = ago
        }
    }

    package var version: String
    /// The kernel's id of the boot, and the seconds since then at which the process began and wrote this.
    package var boot: String
    package var started: Int
    package var at: Int
    /// `[upgrade]`: whether the package goes back by itself, and the times for what was reached, in seconds.
    package var rollsBack: Bool
    package var within: Int
    package var keep: Int
    package var parts: [Part: PartState]
    /// The version before, if another one ran here; and the seconds for which it had run since a part was in order.
    package var before: String?
    package var beforeAgo: [Part: Int]

    /// The age at which a file, which is written each minute, is of a process that hangs or is gone, in seconds.
    package static let maximalAge = 150

    /// The parts that the version before had reached just before it ended, and that this one has not.
    package var missing: [Part] {
        Part.allCases.filter { part in
            guard let ago = self.beforeAgo[part], ago <= self.within else { return false }
            return self.parts[part]?.ago != 0
        }
    }

    /// The lines of the file.
    package var text: String {
        var lines = [
            "version=\(self.version)", "boot=\(self.boot)", "started=\(self.started)", "at=\(self.at)",
            "rollback=\(self.rollsBack ? "yes" : "no")", "within=\(self.within)", "keep=\(self.keep)",
        ]
        for part in Part.allCases {
            guard let state = self.parts[part] else { continue }
            if let ago = state.ago { lines.append("\(part.rawValue)=\(ago)") }
            lines.append("\(part.rawValue)_state=\(state.word)")
            if let since = state.since { lines.append("\(part.rawValue)_since=\(since)") }
        }
        if let before = self.before { lines.append("before=\(before)") }
        for part in Part.allCases {
            if let ago = self.beforeAgo[part] { lines.append("before_\(part.rawValue)=\(ago)") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    package init(
        version: String,
        boot: String,
        started: Int,
        at: Int,
        rollsBack: Bool,
        within: Int,
        keep: Int,
        parts: [Part: PartState],
        before: String? = nil,
        beforeAgo: [Part: Int] = [:]
    ) {
        self.version = version
        self.boot = boot
        self.started = started
        self.at = at
        self.rollsBack = rollsBack
        self.within = within
        self.keep = keep
        self.parts = parts
        self.before = before
        self.beforeAgo = beforeAgo
    }

    /// Reads the lines of a file, which can contain anything; nil without a version.
    package init?(_ text: String) {
        var values: [Substring: Substring] = [:]
        for line in text.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            values[line[..<equals]] = line[line.index(after: equals)...]
        }
        func number(_ key: String) -> Int? {
            values[key[...]].flatMap { Int($0) }.flatMap { 0...999_999_999 ~= $0 ? $0 : nil }
        }
        func word(_ key: String) -> String? {
            values[key[...]].flatMap { $0.isEmpty || $0.utf8.count > 128 ? nil : String($0) }
        }
        guard let version = word("version") else { return nil }
        self.init(
            version: version,
            boot: word("boot") ?? "",
            started: number("started") ?? 0,
            at: number("at") ?? 0,
            rollsBack: word("rollback") == "yes",
            within: number("within") ?? 900,
            keep: number("keep") ?? 604_800,
            parts: [:],
            before: word("before")
        )
        for part in Part.allCases {
            if let state = word("\(part.rawValue)_state") {
                let since = word("\(part.rawValue)_since").flatMap { Timestamp($0) }
                self.parts[part] = PartState(word: state, since: since, ago: number(part.rawValue))
            }
            self.beforeAgo[part] = number("before_\(part.rawValue)")
        }
    }
}

extension AgentHealth.Part {
    /// Returns the state of the part in a word, and whether it is in order.
    ///
    /// A parked vehicle that the agent has found so counts as reached, as does its adapter.
    ///
    /// - Parameter status: the status that was published last; nil before the first one.
    func state(_ status: AgentStatus?, isOnline: Bool) -> (word: String, isGood: Bool) {
        guard let status else { return ("unknown", false) }
        let isParked = status.link == .waiting && status.parked == true && status.problem == nil
        switch self {
        case .broker: return isOnline ? ("connected", true) : ("disconnected", false)
        case .adapter, .vehicle:
            if isParked { return ("parked", true) }
            let isReached = status.link == .connected || self == .adapter && status.link == .searching
            return isReached ? ("connected", true) : ("disconnected", false)
        case .store: return (status.store.state.rawValue, status.store.state == .disk)
        }
    }
}
