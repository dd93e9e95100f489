// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension VIN {
    /// The result of checking the check digit, which is the ninth character.
    package enum CheckDigit: String, CaseIterable, Hashable, Sendable {
        case correct
        /// The check digit is required and does not match, so at least one character is wrong.
        case wrong
        /// The region of the manufacturer does not require a check digit.
        case notDemanded = "not_demanded"
    }

    /// The result of the check (49 CFR 565.15, GB 16735).
    ///
    /// North America (WMI of region 1 to 5) and China (L) require a check digit.
    package var checkDigit: CheckDigit {
        switch self.bytes[0] {
        case UInt8(ascii: "1")...UInt8(ascii: "5"), UInt8(ascii: "L"):
            return self.hasMatchingCheckDigit ? .correct : .wrong
        default: return .notDemanded
        }
    }

    /// Whether the ninth character is the check digit of the others, whether the region requires one or not.
    var hasMatchingCheckDigit: Bool { self.bytes[Self.checkDigitIndex] == self.matchingCheckDigit }

    /// The VIN with the check digit of its other characters.
    package var withCheckDigit: VIN {
        var bytes = self.bytes
        bytes[Self.checkDigitIndex] = self.matchingCheckDigit
        return VIN(bytes: bytes) ?? self
    }

    private var matchingCheckDigit: UInt8 {
        let sum = zip(self.bytes, Self.weights).reduce(0) { $0 + Self.number($1.0) * $1.1 }
        return sum % 11 == 10 ? UInt8(ascii: "X") : UInt8(ascii: "0") + UInt8(sum % 11)
    }

    private static let checkDigitIndex = 8
    /// The weights of the characters; the check digit itself has the weight 0.
    private static let weights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]

    /// Returns the number of a character: A to H are 1 to 8, J to R 1 to 9, S to Z 2 to 9, a digit is itself.
    private static func number(_ character: UInt8) -> Int {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "H"): Int(character - UInt8(ascii: "A")) + 1
        case UInt8(ascii: "J")...UInt8(ascii: "R"): Int(character - UInt8(ascii: "J")) + 1
        case UInt8(ascii: "S")...UInt8(ascii: "Z"): Int(character - UInt8(ascii: "S")) + 2
        default: Int(character - UInt8(ascii: "0"))
        }
    }
}
