// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// A diagnostic trouble code of SAE J2012: `P0301`.
///
/// Bits 15 and 14 are the letter (P, C, B, U), bits 13 and 12 the first digit, the rest three hexadecimal digits.
package struct DTC: RawRepresentable, Hashable, Comparable, Sendable {
    /// The code's two bytes as a number; 0 means "no code" in a reply.
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    init(_ high: UInt8, _ low: UInt8) {
        self.init(rawValue: UInt16(high) << 8 | UInt16(low))
    }

    /// The two bytes in a reply.
    package var bytes: [UInt8] {
        [UInt8(truncatingIfNeeded: self.rawValue >> 8), UInt8(truncatingIfNeeded: self.rawValue)]
    }

    package static func < (left: DTC, right: DTC) -> Bool {
        left.rawValue < right.rawValue
    }

    private static let letters: [Character] = ["P", "C", "B", "U"]
}

extension DTC: LosslessStringConvertible {
    /// Parses a letter (P, C, B or U), a digit from 0 to 3 and three hexadecimal digits, in upper or lower case.
    package init?(_ description: String) {
        let text = description.uppercased()
        guard text.utf8.count == 5, let letter = Self.letters.firstIndex(where: { text.first == $0 }),
            text.dropFirst().allSatisfy(\.isHexDigit), let digits = UInt16(text.dropFirst(), radix: 16),
            digits <= 0x3FFF
        else { return nil }
        self.init(rawValue: UInt16(letter) << 14 | digits)
    }

    package var description: String {
        "\(Self.letters[Int(self.rawValue >> 14)])\((self.rawValue & 0x3FFF).hexadecimal)"
    }
}
