// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Subscriber
package import Base
import Contract

/// What `select_parameters` came to, for people.
package struct SelectionText: Hashable, Sendable {
    private let result: JSON

    package init(_ result: JSON) {
        self.result = result
    }

    /// The rows of a table: the parameter, what was wished, what the link carries, the dead-band.
    package var rows: [[String]] {
        let deadBands = self.result["dead_bands"]
        var rows = self.result["parameters"].members.map { name, seconds in
            var row = [name, "every \(seconds.shown) s"]
            if let achieved = self.achieved(name, wish: seconds) { row.append(achieved) }
            if deadBands[name] != .null { row.append("dead-band \(deadBands[name].shown)") }
            return row
        }
        // Values that are read together with others have names of their own.
        for (name, deadBand) in deadBands.members where self.result["parameters"][name] == .null {
            rows.append([name, "dead-band \(deadBand.shown)"])
        }
        return rows
    }

    /// What else is to be said.
    package var notes: [String] {
        var notes: [String] = []
        if self.result["achieved"] == .null, !self.result["parameters"].members.isEmpty {
            notes.append("How often the link carries it is not known: nothing was polled yet.")
        }
        notes += self.result["unsupported"].elements.map { "The vehicle does not tell \($0.shown)." }
        if let seconds = self.result["duration"].double, 0...1e9 ~= seconds {
            notes.append("For \(TimeSpan(.milliseconds(Int64(seconds * 1000)))).")
        }
        if let version = self.result["version"].count { notes.append("Version \(version) of the selection.") }
        return notes
    }

    private func achieved(_ name: String, wish: JSON) -> String? {
        guard self.result["achieved"] != .null else { return nil }
        let achieved = self.result["achieved"][name]
        guard let seconds = achieved.double, let wish = wish.double else { return "not read" }
        return seconds <= wish ? "as wished" : "the link carries every \(achieved.shown) s"
    }
}
