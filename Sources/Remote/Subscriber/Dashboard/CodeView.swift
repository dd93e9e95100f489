// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// A trouble code for the dashboard, with what each ECU says of it.
struct CodeView: Hashable, Sendable {
    /// The largest number of displayed codes.
    static let limit = 256

    let code: String
    let meaning: String
    /// Of each ECU its id and the states of the code there, such as `7E8 stored, pending`.
    private(set) var ecus: [String]
    /// Whether an ECU has stored a freeze frame with it.
    private(set) var hasFreezeFrame: Bool
    /// Whether it is stored or permanent, and not only pending.
    private(set) var isConfirmed: Bool

    /// Returns the codes of the payload of `codes`, each once.
    static func list(_ json: JSON) -> [CodeView] {
        var codes: [CodeView] = []
        for entry in json["codes"].elements.prefix(Self.limit) {
            let code = CodeView(entry)
            if let index = codes.firstIndex(where: { $0.code == code.code }) {
                codes[index].ecus += code.ecus
                codes[index].hasFreezeFrame = codes[index].hasFreezeFrame || code.hasFreezeFrame
                codes[index].isConfirmed = codes[index].isConfirmed || code.isConfirmed
            } else {
                codes.append(code)
            }
        }
        return codes
    }

    private init(_ entry: JSON) {
        self.code = Printable.text((entry["code"].string ?? "?").prefix(bytes: 16))
        self.meaning = Printable.text((entry["description"].string ?? "").prefix(bytes: 120))
        let states = entry["states"].elements.prefix(8).compactMap(\.string)
        let words = [entry["ecu"].string ?? "", states.joined(separator: ", ")].filter { !$0.isEmpty }
        self.ecus = words.isEmpty ? [] : [Printable.text(words.joined(separator: " ").prefix(bytes: 80))]
        self.hasFreezeFrame = entry["freeze_frame"] != .null
        self.isConfirmed = states != ["pending"]
    }
}
