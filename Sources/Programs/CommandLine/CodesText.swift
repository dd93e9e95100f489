// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import OBD2
import Subscriber

/// The payload of `codes` as text, in the words of `obd-agent codes`.
package struct CodesText {
    private let report: JSON

    package init(_ report: JSON) {
        self.report = report
    }

    /// The warning lamp, the lists that are empty or unread, the codes, and their freeze frames.
    package var lines: [String] {
        ["Warning lamp  \(self.report["mil"].lamp)"] + self.lists
            + GroupedCodes(self.entries).lines + self.unknownCodes + self.frames
    }

    /// The codes only.
    package var codes: [String] { GroupedCodes(self.entries).lines + self.unknownCodes }

    private var lists: [String] {
        CodesReport.State.allCases.compactMap { state in
            let name = state.rawValue
            if self.report["not_supported"].elements.contains(.string(name)) {
                return "The vehicle does not support reading its \(name) codes."
            }
            let isUnread = self.report["unread"].elements.contains(.string(name))
            let isEmpty = !self.report["codes"].elements.contains { $0["states"].elements.contains(.string(name)) }
            if isUnread || (state == .stored && self.report["known"].bool != true) {
                return isEmpty
                    ? "The \(name) codes are unknown: they could not be read."
                    : "There may be more \(name) codes: those of some ECU could not be read."
            }
            return isEmpty ? "No \(name) codes." : nil
        }
    }

    private var entries: [GroupedCodes.Entry] {
        self.report["codes"].elements.compactMap { code in
            guard let known = code["code"].string.flatMap({ TroubleCode($0) }) else { return nil }
            return GroupedCodes.Entry(
                code: known,
                ecu: code["ecu"].shown,
                states: Self.states(of: code),
                severity: code["severity"].string.flatMap(CodesReport.Severity.init)?.phrase
            )
        }
    }

    private static func states(of code: JSON) -> [String] { code["states"].elements.compactMap(\.string) }

    /// The codes in a form that this version does not know.
    private var unknownCodes: [String] {
        let codes = self.report["codes"].elements.filter { code in
            code["code"].string.flatMap { TroubleCode($0) } == nil
        }
        guard !codes.isEmpty else { return [] }
        return ["", "Other codes"]
            + codes.map { code in
                let states = Self.states(of: code).joined(separator: ", ")
                return "  \(code["code"].shown)  \(code["description"].string ?? "")  \(code["ecu"].shown)  \(states)"
            }
    }

    private var frames: [String] {
        self.report["freeze_frames"].members.flatMap { ecu, frame -> [String] in
            switch frame["state"].string.flatMap(CodesReport.FrameStatus.State.init) {
            case CodesReport.FrameStatus.State.none?: return ["", "\(ecu) has stored no freeze frame."]
            case .notSupported: return ["", "\(ecu) keeps no freeze frames."]
            case .unread, nil: return ["", "\(ecu): the freeze frame is unknown: it could not be read."]
            case .stored: return self.values(of: ecu, frame["code"])
            }
        }
    }

    private func values(of ecu: String, _ cause: JSON) -> [String] {
        let code = self.report["codes"].elements.first { $0["ecu"].string == ecu && $0["code"] == cause }
        var table = TextTable()
        for (name, value) in code?["freeze_frame"]["values"].members ?? [] {
            table.append(["  \(name)", value.words, value["unit"].string ?? ""])
        }
        let missing = code?["freeze_frame"]["unread"].elements.map { "  \($0.shown) could not be read" } ?? []
        return ["", "\(ecu) when \(cause.shown) was stored:"] + table.lines + missing
    }
}

extension JSON {
    /// The value of an object with `value` and perhaps `label`, as text.
    package var words: String {
        self["label"].string ?? self["value"].double.map { DecodedValue.number($0).text } ?? self["value"].shown
    }
}
