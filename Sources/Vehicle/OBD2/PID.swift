// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The parameter identifier of services 01 and 02: one byte, written as two hexadecimal digits.
package struct PID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Whether the PID is a bitmap of supported PIDs: 00, 20, 40 … E0.
    package var isBitmap: Bool {
        self.rawValue.isMultiple(of: 0x20)
    }

    package static func < (left: PID, right: PID) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension PID: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: UInt8) {
        self.init(rawValue: value)
    }
}

extension PID: CustomStringConvertible {
    package var description: String {
        self.rawValue.hexadecimal
    }
}
