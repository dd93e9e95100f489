// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The status byte of a code in service 19 (ISO 14229-1, D.2).
package struct CodeStatus: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The last test failed.
    package static let testFailed = CodeStatus(rawValue: 0x01)
    /// A test failed in this operation cycle.
    package static let testFailedThisCycle = CodeStatus(rawValue: 0x02)
    /// A test failed in this operation cycle or the last one, as for the codes of service 07.
    package static let pending = CodeStatus(rawValue: 0x04)
    /// A test failed often enough for the code to be stored, as for the codes of service 03.
    package static let confirmed = CodeStatus(rawValue: 0x08)
    /// No test has finished since the codes were cleared.
    package static let testNotCompletedSinceClear = CodeStatus(rawValue: 0x10)
    /// A test failed since the codes were cleared.
    package static let testFailedSinceClear = CodeStatus(rawValue: 0x20)
    /// No test has finished in this operation cycle.
    package static let testNotCompletedThisCycle = CodeStatus(rawValue: 0x40)
    /// The code requests a warning lamp.
    package static let warningIndicatorRequested = CodeStatus(rawValue: 0x80)
}
