// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The payload of `finding`: a specialist's diagnosis of the vehicle.
package struct Finding: Encodable, Hashable, Sendable {
    package let v = 1
    /// The id of the command that published the finding.
    package var id: String
    package var time: Timestamp
    /// The signer of that command; null for an unsigned command.
    package var issuer: String?
    package var severity: Severity
    package var text: String
    /// The trouble codes that the finding is about.
    package var codes: [String]

    /// The urgency of a repair.
    package enum Severity: String, CaseIterable, Hashable, Sendable {
        case info, attention, urgent
    }

    package init(id: String, time: Timestamp, issuer: String?, severity: Severity, text: String, codes: [String]) {
        self.id = id
        self.time = time
        self.issuer = issuer
        self.severity = severity
        self.text = text
        self.codes = codes
    }

    /// Reads the form of ``json``; nil if the value is not a finding.
    package init?(_ json: JSON) {
        guard case .object(let members) = json, case .string(let id) = members["id"],
            case .string(let time) = members["time"], let time = Timestamp(time),
            case .string(let severity) = members["severity"], let severity = Severity(rawValue: severity),
            case .string(let text) = members["text"], case .array(let codes) = members["codes"]
        else { return nil }
        var issuer: String?
        if case .string(let name) = members["issuer"] { issuer = name }
        self.init(
            id: id,
            time: time,
            issuer: issuer,
            severity: severity,
            text: text,
            codes: codes.compactMap { if case .string(let code) = $0 { code } else { nil } }
        )
    }

    package var json: JSON {
        [
            "v": .integer(Int64(self.v)), "id": .string(self.id), "time": .string(self.time.description),
            "issuer": self.issuer.map { .string($0) } ?? .null, "severity": .string(self.severity.rawValue),
            "text": .string(self.text), "codes": .array(self.codes.map { .string($0) }),
        ]
    }

    package func encode(to encoder: any Encoder) throws { try self.json.encode(to: encoder) }
}
