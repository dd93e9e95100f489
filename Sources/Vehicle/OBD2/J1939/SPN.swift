// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The suspect parameter number of SAE J1939: the subject of a value or a fault, 19 bits.
package struct SPN: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt32

    /// - Parameter rawValue: the number, of which the lower 19 bits count.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue & 0x7_FFFF
    }

    /// Reads the number before a failure mode or flags: two bytes, least significant first, and three bits.
    init(packed bytes: ArraySlice<UInt8>) {
        let bits = bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        self.init(rawValue: bits & 0xFFFF | (bits >> 21) << 16)
    }

    package static func < (left: SPN, right: SPN) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension SPN: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: UInt32) {
        self.init(rawValue: value)
    }
}

extension SPN: CustomStringConvertible {
    package var description: String { String(self.rawValue) }
}

/// The failure mode identifier of SAE J1939-73: the kind of a fault, 0 to 31.
package struct FMI: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt8

    /// - Parameter rawValue: the number, of which the lower 5 bits count.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue & 0x1F
    }

    package static func < (left: FMI, right: FMI) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension FMI: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: UInt8) {
        self.init(rawValue: value)
    }
}

extension FMI: CustomStringConvertible {
    package var description: String { String(self.rawValue) }
}
