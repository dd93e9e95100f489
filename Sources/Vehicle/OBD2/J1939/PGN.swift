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
    /// DM1: the active codes, broadcast once a second.
    package static let activeCodes: PGN = 0xFECA
    /// DM2: the previously active codes, sent on request.
    package static let previouslyActiveCodes: PGN = 0xFECB
    /// DM6: the emission-related codes that are not confirmed yet, sent on request.
    package static let pendingCodes: PGN = 0xFECF
    /// DM28: the permanent codes, sent on request.
    package static let permanentCodes: PGN = 0xFD80
    /// The vehicle identification number, sent on request.
    package static let vehicleIdentification: PGN = 0xFEEC
    /// The make, model and serial number of a component, sent on request.
    package static let componentIdentification: PGN = 0xFEEB
}
