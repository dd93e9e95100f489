// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The identifier of a CAN frame, with 11 or 29 bits.
package struct CANIdentifier: Hashable, Sendable {
    package let number: UInt32
    /// Whether the identifier has 29 bits.
    package let isExtended: Bool

    /// Creates an identifier; further bits of `number` are ignored.
    package init(_ number: UInt32, isExtended: Bool) {
        self.number = number & (isExtended ? 0x1FFF_FFFF : 0x7FF)
        self.isExtended = isExtended
    }
}

extension CANIdentifier: CustomStringConvertible {
    /// The identifier in three or eight hexadecimal digits.
    package var description: String {
        let digits = String(self.number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, (self.isExtended ? 8 : 3) - digits.utf8.count)) + digits
    }
}
