// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import Subscriber

/// The result of `clear_codes` as text for the user.
package struct ClearText: Hashable, Sendable {
    private let result: JSON

    package init(_ result: JSON) {
        self.result = result
    }

    /// The rows of a table, each with a subject and a text.
    package var rows: [[String]] {
        // A refusal has a reason, but no results.
        guard self.result["ecus"] != .null else { return [] }
        var rows = self.result["ecus"].members.map { ["ECU \($0.key)", $0.value.shown] }
        rows += self.result["gone"].elements.map { ["Gone", Self.code($0)] }
        rows += self.result["stayed"].elements.map { ["Stayed", "\(Self.code($0))  \($0["reason"].shown)"] }
        rows += self.result["unknown"].elements.map { ["Not known", "\(Self.code($0)): \($0["reason"].shown)"] }
        rows += self.result["not_kept"].elements.map { ["Not kept", $0.shown] }
        if self.result["known_after"].bool == false { rows.append(["Codes", "could not be read again"]) }
        for list in self.result["unread_after"].elements {
            rows.append(["Codes", "the \(list.shown) ones could not be read again"])
        }
        if let mil = self.result["mil"].bool { rows.append(["Warning lamp", mil ? "on" : "off"]) }
        let monitors = self.result["monitors"].members
        if !monitors.isEmpty {
            let open = monitors.filter { $0.value == "incomplete" }.map(\.key)
            let words = open.isEmpty ? "all monitors are complete" : "to be run again: \(open.joined(separator: ", "))"
            rows.append(["Readiness", words])
        }
        return rows
    }

    private static func code(_ entry: JSON) -> String {
        "\(entry["code"].shown)\(entry["ecu"] == .null ? "" : "  \(entry["ecu"].shown)")"
    }
}
