// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The buses of on-board diagnostics; raw values are the numbers that `AT SP` takes and `AT DPN` prints.
package enum BusProtocol: UInt8, CaseIterable, Hashable, Sendable {
    case j1850PWM = 1
    case j1850VPW
    case iso9141
    case kwp5Baud
    case kwpFast
    case can11at500
    case can29at500
    case can11at250
    case can29at250
    case j1939

    /// The digit of `AT SP` and `AT DPN`.
    package var number: Character {
        self == .j1939 ? "A" : Character(UnicodeScalar(UInt8(ascii: "0") + self.rawValue))
    }

    /// The protocol with the digit `number`.
    package init?(number: Character) {
        guard number.isASCII, let digit = number.hexDigitValue, let value = UInt8(exactly: digit) else { return nil }
        self.init(rawValue: value)
    }

    /// The name, for buses with one bit rate as `AT DP` prints it.
    package var title: String {
        switch self {
        case .j1850PWM: "SAE J1850 PWM"
        case .j1850VPW: "SAE J1850 VPW"
        case .iso9141: "ISO 9141-2"
        case .kwp5Baud: "ISO 14230-4 (KWP 5BAUD)"
        case .kwpFast: "ISO 14230-4 (KWP FAST)"
        case .can11at500: "ISO 15765-4 (CAN 11/500)"
        case .can29at500: "ISO 15765-4 (CAN 29/500)"
        case .can11at250: "ISO 15765-4 (CAN 11/250)"
        case .can29at250: "ISO 15765-4 (CAN 29/250)"
        case .j1939: "SAE J1939"
        }
    }

    /// Whether messages travel in ISO 15765-2 frames.
    package var isCAN: Bool { BusProtocol.can11at500.rawValue...BusProtocol.can29at250.rawValue ~= self.rawValue }

    /// Whether ECUs have 29-bit identifiers of ISO 15765-4.
    package var hasExtendedIdentifiers: Bool { self == .can29at500 || self == .can29at250 }
}
