// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// An ECU's refusal: 7F, the refused service, and the reason (ISO 14230-3, ISO 14229-1).
package struct NegativeResponse: Hashable, Sendable {
    /// The refused service.
    package let service: UInt8
    /// The reason for the refusal.
    package let code: Code

    package init(service: UInt8, code: Code) {
        self.service = service
        self.code = code
    }

    /// Reads a whole payload, such as `7F 01 12`; nil for any other payload.
    package init?(payload: [UInt8]) {
        guard payload.count == 3, payload[0] == Self.marker else { return nil }
        self.init(service: payload[1], code: Code(rawValue: payload[2]))
    }

    /// The payload of the refusal.
    package var payload: [UInt8] {
        [Self.marker, self.service, self.code.rawValue]
    }

    /// The first byte of every negative response.
    static let marker: UInt8 = 0x7F
}

extension NegativeResponse {
    /// The reason for a refusal.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The vehicle is not in the state that the request needs, such as engine off.
        package static let conditionsNotCorrect = Code(rawValue: 0x22)
        /// The real reply follows, up to five seconds later.
        package static let responsePending = Code(rawValue: 0x78)

        /// The reason as a phrase; the code's hexadecimal digits if it is unknown.
        package var name: String {
            Self.names[self.rawValue] ?? "code \(self.rawValue.hexadecimal)"
        }

        private static let names: [UInt8: String] = [
            0x10: "general reject",
            0x11: "service not supported",
            0x12: "sub-function not supported",
            0x13: "wrong length or format",
            0x14: "response too long",
            0x21: "busy, repeat request",
            0x22: "conditions not correct",
            0x24: "request sequence error",
            0x25: "no response from sub-net component",
            0x26: "failure prevents execution",
            0x31: "request out of range",
            0x33: "security access denied",
            0x35: "invalid key",
            0x36: "too many attempts",
            0x37: "time delay not expired",
            0x70: "upload or download not accepted",
            0x71: "transfer data suspended",
            0x72: "general programming failure",
            0x73: "wrong block sequence counter",
            0x78: "request received, response pending",
            0x7E: "sub-function not supported in active session",
            0x7F: "service not supported in active session",
            0x81: "engine speed too high",
            0x82: "engine speed too low",
            0x83: "engine is running",
            0x84: "engine is not running",
            0x85: "engine run time too low",
            0x86: "temperature too high",
            0x87: "temperature too low",
            0x88: "vehicle speed too high",
            0x89: "vehicle speed too low",
            0x8A: "throttle or pedal too high",
            0x8B: "throttle or pedal too low",
            0x8C: "transmission not in neutral",
            0x8D: "transmission not in gear",
            0x8F: "brake not closed",
            0x90: "shifter not in park",
            0x91: "torque converter clutch locked",
            0x92: "voltage too high",
            0x93: "voltage too low",
        ]
    }
}

extension NegativeResponse: CustomStringConvertible {
    package var description: String {
        "service \(self.service.hexadecimal) refused: \(self.code.name)"
    }
}
