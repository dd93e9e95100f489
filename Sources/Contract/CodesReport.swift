// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The payload of `codes`.
package struct CodesReport: Encodable, Hashable, Sendable {
    package var v = 1
    package var time: Timestamp
    /// Whether the stored codes could be read.
    ///
    /// Where not, ``codes`` says nothing: "none" and "unknown" differ.
    package var known: Bool
    /// Whether the malfunction indicator lamp is on; missing where that could not be read.
    package var mil: Bool?
    package var codes: [Code]
    /// The states that could not be read, although the vehicle may have codes in them.
    package var unread: [State]

    /// One code of one ECU.
    package struct Code: Encodable, Hashable, Sendable {
        package var code: String
        package var ecu: String
        package var states: [State]
        package var firstSeen: Timestamp

        package enum CodingKeys: String, CodingKey {
            case code, ecu, states
            case firstSeen = "first_seen"
        }

        package init(code: String, ecu: String, states: [State], firstSeen: Timestamp) {
            self.code = code
            self.ecu = ecu
            self.states = states
            self.firstSeen = firstSeen
        }
    }

    /// Which list of the ECU a code stands in: service 03, 07 or 0A.
    package enum State: String, Codable, CaseIterable, Hashable, Sendable {
        case stored, pending, permanent
    }

    package init(time: Timestamp, known: Bool, mil: Bool?, codes: [Code], unread: [State]) {
        self.time = time
        self.known = known
        self.mil = mil
        self.codes = codes
        self.unread = unread
    }
}
