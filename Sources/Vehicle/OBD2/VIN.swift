// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A vehicle identification number (ISO 3779): 17 digits and capital letters without I, O and Q.
///
/// A repeated single character is not a VIN, because many vehicles share such a placeholder.
package struct VIN: Hashable, Sendable, LosslessStringConvertible {
    /// The seventeen characters.
    package let description: String

    package init?(_ description: String) {
        self.init(bytes: Array(description.utf8))
    }

    /// The characters as ASCII.
    package var bytes: [UInt8] {
        Array(self.description.utf8)
    }

    init?(bytes: [UInt8]) {
        guard bytes.count == 17, bytes.allSatisfy(Self.isAllowed), Set(bytes).count > 1 else { return nil }
        self.description = String(decoding: bytes, as: UTF8.self)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "I"), UInt8(ascii: "O"), UInt8(ascii: "Q"): false
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: false
        }
    }
}
