// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Subscriber
package import Base
package import Contract

/// What a clear of these codes erases, as far as it could be read.
package struct ClearPreview: Hashable, Sendable {
    /// The payload of `codes`.
    private let report: JSON

    package init(_ report: JSON) {
        self.report = report
    }

    /// The codes that a clear erases: all but those that are permanent only.
    package var erasable: [String] {
        self.names { $0["states"] != ["permanent"] }
    }

    /// The codes that a clear leaves.
    package var permanent: [String] {
        self.names { $0["states"].elements.contains("permanent") }
    }

    /// The lists of codes that could not be read and that a clear erases all the same.
    package var unread: [CodesReport.State] { [.stored, .pending].filter(self.isUnread) }

    /// For people.
    ///
    /// - Parameter codes: the lines that tell of the codes.
    package func lines(_ codes: [String], of vehicle: String) -> [String] {
        var lines = ["\(vehicle), warning lamp \(self.report["mil"].lamp). A clear erases:"]
        if !self.erasable.isEmpty {
            lines += codes
        } else if self.unread.isEmpty {
            lines += ["", "  no codes"]
        }
        lines.append("")
        lines += self.unread.map { "  the \($0.rawValue) codes, which could not be read: nobody knows what is lost" }
        lines += self.report["freeze_frames"].members.compactMap { self.line($0.value, of: $0.key) }
        lines.append("  readiness for an inspection, and what the on-board tests came to")
        if !self.permanent.isEmpty {
            let names = self.permanent.joined(separator: ", ")
            lines += ["", "Permanent codes stay until their ECU has seen the fault gone: \(names)"]
        }
        if self.isUnread(.permanent) {
            lines += ["", "The permanent codes could not be read; a clear leaves them."]
        }
        return lines
    }

    /// What `clear_codes` is told, so that it erases this and nothing else.
    ///
    /// - Parameters:
    ///   - all: whether it erases whatever there is by then.
    ///   - overridesEngine: whether the engine may run.
    ///   - acceptsIncomplete: whether it erases also what could not be read.
    package func arguments(all: Bool, overridesEngine: Bool, acceptsIncomplete: Bool) -> [String: JSON] {
        var arguments: [String: JSON] = ["confirm": all ? "all" : .array(self.erasable.map { .string($0) })]
        if overridesEngine { arguments["override_engine"] = true }
        if acceptsIncomplete { arguments["accept_incomplete"] = true }
        return arguments
    }

    private func names(_ isMeant: (JSON) -> Bool) -> [String] {
        Set(self.report["codes"].elements.filter(isMeant).compactMap(\.["code"].string)).sorted()
    }

    private func isUnread(_ state: CodesReport.State) -> Bool {
        let name = JSON.string(state.rawValue)
        guard !self.report["not_supported"].elements.contains(name) else { return false }
        return self.report["unread"].elements.contains(name) || (state == .stored && self.report["known"].bool != true)
    }

    /// The freeze frame of an ECU; nil where it has none.
    private func line(_ frame: JSON, of ecu: String) -> String? {
        switch frame["state"].string.flatMap(CodesReport.FrameStatus.State.init) {
        case CodesReport.FrameStatus.State.none?, .notSupported: return nil
        case .unread, nil: return "  the freeze frame of \(ecu), if it has one: it could not be read"
        case .stored: break
        }
        let code = self.report["codes"].elements.first { $0["ecu"].string == ecu && $0["code"] == frame["code"] }
        let unread = code?["freeze_frame"]["unread"].elements.map(\.shown) ?? []
        return "  the freeze frame of \(ecu), stored with \(frame["code"].string ?? "a code")"
            + (unread.isEmpty ? "" : ", of which could not be read: \(unread.joined(separator: ", "))")
    }
}
