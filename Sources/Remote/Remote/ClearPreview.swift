// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract
import Subscriber

/// The data that a clear erases, as far as it could be read.
package struct ClearPreview: Hashable, Sendable {
    /// The payload of `codes`.
    private let report: JSON

    package init(_ report: JSON) {
        self.report = report
    }

    /// The codes that a clear erases: all codes that are not only permanent.
    package var erasable: [String] {
        self.names { $0["states"] != ["permanent"] }
    }

    /// The codes that a clear does not erase.
    package var permanent: [String] {
        self.names { $0["states"].elements.contains("permanent") }
    }

    /// The lists of codes that could not be read, and that a clear erases nevertheless.
    package var unread: [CodesReport.State] { [.stored, .pending].filter(self.isUnread) }

    /// Returns the preview as text for the user.
    ///
    /// - Parameters:
    ///   - codes: the lines that list the codes.
    ///   - vehicle: the name of the vehicle.
    package func lines(_ codes: [String], of vehicle: String) -> [String] {
        var lines = ["\(vehicle), warning lamp \(self.report["mil"].lamp). A clear erases:"]
        if !self.erasable.isEmpty {
            lines += codes
        } else if self.unread.isEmpty {
            lines += ["", "  no codes"]
        }
        lines.append("")
        lines += self.unread.map { "  the \($0.rawValue) codes, which could not be read and are unknown" }
        lines += self.report["freeze_frames"].members.compactMap { self.line($0.value, of: $0.key) }
        lines.append("  the readiness for an inspection, and the results of the on-board tests")
        if !self.permanent.isEmpty {
            let names = self.permanent.joined(separator: ", ")
            lines += ["", "Permanent codes stay until their ECU has verified the repair: \(names)"]
        }
        if self.isUnread(.permanent) {
            lines += ["", "The permanent codes could not be read. A clear does not erase them."]
        }
        return lines
    }

    /// Returns the arguments of `clear_codes`, so that it erases these codes and no others.
    ///
    /// - Parameters:
    ///   - all: whether codes that appear until then are erased too.
    ///   - overridesEngine: whether the codes are cleared even while the engine runs.
    ///   - acceptsIncomplete: whether lists that could not be read are erased too.
    package func arguments(all: Bool, overridesEngine: Bool, acceptsIncomplete: Bool) -> [String: JSON] {
        var arguments: [String: JSON] = ["confirm": all ? "all" : .array(self.erasable.map { .string($0) })]
        if overridesEngine { arguments["override_engine"] = true }
        if acceptsIncomplete { arguments["accept_incomplete"] = true }
        return arguments
    }

    private func names(_ isIncluded: (JSON) -> Bool) -> [String] {
        Set(self.report["codes"].elements.filter(isIncluded).compactMap(\.["code"].string)).sorted()
    }

    private func isUnread(_ state: CodesReport.State) -> Bool {
        let name = JSON.string(state.rawValue)
        guard !self.report["not_supported"].elements.contains(name) else { return false }
        return self.report["unread"].elements.contains(name) || (state == .stored && self.report["known"].bool != true)
    }

    /// Returns a line about the freeze frame of an ECU; nil if the ECU has none.
    private func line(_ frame: JSON, of ecu: String) -> String? {
        switch frame["state"].string.flatMap(CodesReport.FrameStatus.State.init) {
        case CodesReport.FrameStatus.State.none?, .notSupported: return nil
        case .unread, nil: return "  the freeze frame of \(ecu), which could not be read and may not exist"
        case .stored: break
        }
        let code = self.report["codes"].elements.first { $0["ecu"].string == ecu && $0["code"] == frame["code"] }
        let unread = code?["freeze_frame"]["unread"].elements.map(\.shown) ?? []
        return "  the freeze frame of \(ecu), stored with \(frame["code"].string ?? "a code")"
            + (unread.isEmpty ? "" : " (could not be read: \(unread.joined(separator: ", ")))")
    }
}
