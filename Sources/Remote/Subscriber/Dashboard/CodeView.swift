// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// A trouble code for the dashboard, with what each ECU says of it.
struct CodeView: Hashable, Sendable {
    /// The largest number of displayed codes.
    static let limit = 256

    let code: String
    let meaning: String
    /// The action that an ECU requests of the driver; nil if none does.
    private(set) var severity: String?
    /// Of each ECU its id and the states of the code there, such as `7E8 stored, pending`.
    private(set) var ecus: [String]
    /// The earliest time at which the agent has seen it since the agent's start.
    private(set) var firstSeen: Timestamp?
    /// The freeze frames that ECUs have stored with it.
    private(set) var frames: [FreezeFrameView]
    /// Whether it is stored or permanent, and not only pending.
    private(set) var isConfirmed: Bool

    /// Returns the codes of the payload of `codes`, each once.
    static func list(_ json: JSON) -> [CodeView] {
        var codes: [CodeView] = []
        for entry in json["codes"].elements.prefix(Self.limit) {
            let code = CodeView(entry)
            if let index = codes.firstIndex(where: { $0.code == code.code }) {
                codes[index].merge(code)
            } else {
                codes.append(code)
            }
        }
        return codes
    }

    private init(_ entry: JSON) {
        self.code = Printable.text((entry["code"].string ?? "?").prefix(bytes: 16))
        self.meaning = Printable.text((entry["description"].string ?? "").prefix(bytes: 120))
        self.severity = entry["severity"].string.map {
            Printable.text(Words.term("severity.\($0)") ?? Self.phrase($0.prefix(bytes: 40)))
        }
        let states = entry["states"].elements.prefix(8).compactMap(\.string)
        let ecu = entry["ecu"].string ?? ""
        let words = [ecu, states.map(Self.phrase).joined(separator: ", ")].filter { !$0.isEmpty }
        self.ecus = words.isEmpty ? [] : [Printable.text(words.joined(separator: " ").prefix(bytes: 80))]
        self.firstSeen = entry["first_seen"].time
        let frame = entry["freeze_frame"]
        self.frames = frame == .null ? [] : [FreezeFrameView(frame, ecu: ecu)]
        self.isConfirmed = states != ["pending"]
    }

    private mutating func merge(_ other: CodeView) {
        self.ecus += other.ecus
        self.frames += other.frames
        self.isConfirmed = self.isConfirmed || other.isConfirmed
        self.severity = self.severity ?? other.severity
        self.firstSeen = [self.firstSeen, other.firstSeen].compactMap(\.self).min()
    }

    /// Returns a word of the contract for people.
    static func phrase(_ word: String) -> String { String(word.map { $0 == "_" ? " " : $0 }) }
}
