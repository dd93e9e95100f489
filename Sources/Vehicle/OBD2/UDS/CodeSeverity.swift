// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The severity byte of a code in the reply to service 19 42 (ISO 14229-1, D.3).
package struct CodeSeverity: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The action that the fault requests of the driver, the most urgent last.
    package enum Action: CaseIterable, Hashable, Sendable {
        case maintenanceOnly, checkAtNextHalt, checkImmediately
    }

    /// The most urgent action of bits 5 to 7; nil if the ECU requests none.
    package var action: Action? {
        switch self.rawValue {
        case 0x80...: .checkImmediately
        case 0x40...: .checkAtNextHalt
        case 0x20...: .maintenanceOnly
        default: nil
        }
    }

    /// The class of bits 0 to 4: 0 is unclassified; 1 to 4 are the classes A, B1, B2 and C of emission malfunctions.
    ///
    /// The class is nil if the ECU sets none of the bits, or several of them.
    package var malfunctionClass: Int? {
        let bits = self.rawValue & 0x1F
        return bits.nonzeroBitCount == 1 ? bits.trailingZeroBitCount : nil
    }
}
