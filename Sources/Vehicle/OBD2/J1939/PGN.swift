// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The parameter group number of SAE J1939-21: the number of a kind of message, 18 bits.
package struct PGN: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt32

    /// - Parameter rawValue: the number, of which the lower 18 bits count.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue & 0x3_FFFF
    }

    package static func < (left: PGN, right: PGN) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The three bytes, most significant first; on the bus the least significant comes first.
    package var bytes: [UInt8] {
        [16, 8, 0].map { UInt8(truncatingIfNeeded: self.rawValue >> $0) }
    }
}

extension PGN: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: UInt32) {
        self.init(rawValue: value)
    }
}

extension PGN: CustomStringConvertible {
    /// Six hexadecimal digits: `00FECA`.
    package var description: String {
        self.bytes.map(\.hexadecimal).joined()
    }
}

extension PGN {
    /// Creates the number of the group in a 29-bit identifier, without the destination.
    ///
    /// Below F0, the lower byte is the destination (SAE J1939-21, PDU1).
    package init(identifier: UInt32) {
        let group = identifier >> 8
        self.init(rawValue: group >> 8 & 0xFF < 0xF0 ? group & 0x3_FF00 : group)
    }

    /// Creates a number from three bytes as on the bus, the least significant first.
    package init(littleEndian bytes: ArraySlice<UInt8>) {
        self.init(rawValue: bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }
}
