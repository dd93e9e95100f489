// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import Subscriber

/// The result of `select_parameters` as text for the user.
package struct SelectionText: Hashable, Sendable {
    private let result: JSON

    package init(_ result: JSON) {
        self.result = result
    }

    /// The rows of a table: the parameter, the requested interval, the achieved interval, the dead band.
    package var rows: [[String]] {
        let deadBands = self.result["dead_bands"]
        var rows = self.result["parameters"].members.map { name, seconds in
            var row = [name, "every \(seconds.shown) s"]
            if let achieved = self.achieved(name, requested: seconds) { row.append(achieved) }
            if deadBands[name] != .null { row.append("dead-band \(deadBands[name].shown)") }
            return row
        }
        // A value that is polled as a part of another parameter has a dead band of its own.
        for (name, deadBand) in deadBands.members where self.result["parameters"][name] == .null {
            rows.append([name, "dead-band \(deadBand.shown)"])
        }
        return rows
    }

    /// Further remarks.
    package var notes: [String] {
        var notes: [String] = []
        if self.result["achieved"] == .null, !self.result["parameters"].members.isEmpty {
            notes.append("The achieved intervals are unknown: nothing has been polled yet.")
        }
        notes += self.result["unsupported"].elements.map { "The vehicle does not support \($0.shown)." }
        if let seconds = self.result["duration"].double, 0...1e9 ~= seconds {
            notes.append("The previous selection returns after \(TimeSpan(.milliseconds(Int64(seconds * 1000)))).")
        }
        if let version = self.result["version"].count { notes.append("Version of the selection: \(version).") }
        return notes
    }

    private func achieved(_ name: String, requested: JSON) -> String? {
        guard self.result["achieved"] != .null else { return nil }
        let achieved = self.result["achieved"][name]
        guard let seconds = achieved.double, let requested = requested.double else { return "not read" }
        return seconds <= requested ? "as requested" : "the link carries every \(achieved.shown) s"
    }
}
