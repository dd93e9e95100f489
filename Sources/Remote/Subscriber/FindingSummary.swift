// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The newest finding of a specialist as texts for the user.
struct FindingSummary: Hashable, Sendable {
    /// The urgency: `info`, `attention` or `urgent`.
    let severity: String
    /// The signer of the finding; nil if it is not signed.
    let author: String?
    let time: Timestamp?
    /// The paragraphs of the text.
    let paragraphs: [String]
    let codes: [String]

    /// Reads the payload; nil if it has no text.
    init?(_ json: JSON) {
        guard let text = json["text"].string else { return nil }
        self.severity = Printable.text((json["severity"].string ?? "info").prefix(bytes: 20))
        self.author = json["issuer"].string.map { Printable.text($0.prefix(bytes: 64)) }
        self.time = json["time"].time
        self.paragraphs = text.prefix(bytes: 4000).split { $0.isNewline }.map { Printable.text(String($0)) }
        self.codes = json["codes"].elements.prefix(100).compactMap { code in
            code.string.map { Printable.text($0.prefix(bytes: 16)) }
        }
    }
}
