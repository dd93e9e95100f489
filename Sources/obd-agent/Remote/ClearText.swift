// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Remote

/// What `clear_codes` came to, for people.
struct ClearText {
    private let result: JSON

    init(_ result: JSON) {
        self.result = result
    }

    var lines: [String] {
        // Who refused it has nothing to tell but why.
        guard self.result["ecus"] != .null else { return [] }
        var table = Table()
        for (ecu, said) in self.result["ecus"].members { table.append(["ECU \(ecu)", said.shown]) }
        for code in self.result["gone"].elements {
            table.append(["Gone", "\(code["code"].shown)  \(code["ecu"].shown)"])
        }
        for code in self.result["stayed"].elements {
            table.append(["Stayed", "\(code["code"].shown)  \(code["ecu"].shown)  \(code["reason"].shown)"])
        }
        if self.result["known_after"].bool == false { table.append(["Codes", "could not be read again"]) }
        for list in self.result["unread_after"].elements {
            table.append(["Codes", "the \(list.shown) ones could not be read again"])
        }
        if let mil = self.result["mil"].bool { table.append(["Warning lamp", mil ? "on" : "off"]) }
        let monitors = self.result["monitors"].members
        if !monitors.isEmpty {
            let open = monitors.filter { $0.value == "incomplete" }.map(\.key)
            let words = open.isEmpty ? "all monitors are complete" : "to be run again: \(open.joined(separator: ", "))"
            table.append(["Readiness", words])
        }
        return table.lines
    }
}
