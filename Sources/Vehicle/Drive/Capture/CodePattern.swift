// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// A pattern of trouble codes: a code such as `P0301`, or its beginning with a star, as in `P03*`.
package struct CodePattern: Hashable, Sendable, LosslessStringConvertible {
    /// The largest number of characters.
    private static let lengthLimit = 24

    package let description: String

    package init?(_ description: String) {
        let text = description.uppercased()
        guard 2...Self.lengthLimit ~= text.utf8.count,
            text.hasSuffix("*") ? text.dropLast().utf8.allSatisfy(Self.isPartOfCode) : TroubleCode(text) != nil
        else { return nil }
        self.description = text
    }

    /// Returns whether a code matches, in its spelling of the contract.
    package func matches(_ code: String) -> Bool {
        self.description.hasSuffix("*")
            ? code.hasPrefix(self.description.dropLast()) : code == self.description
    }

    private static func isPartOfCode(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x5A ~= byte || byte == UInt8(ascii: "-")
    }
}
