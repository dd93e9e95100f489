// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The clear of a single code: DM22, individual clear of active and previously active codes (SAE J1939-73, 5.7.22).
///
/// The agent reads these messages and sends none.
package struct IndividualClear: Hashable, Sendable {
    /// The kind of the message; nil for a reserved number.
    package let kind: Kind?
    /// The reason for a refusal; nil if there is none.
    package let reason: Reason?
    package let spn: SPN
    package let fmi: FMI

    /// The control byte.
    package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case previouslyActiveRequest = 1
        case previouslyActiveCleared = 2
        case previouslyActiveRefused = 3
        case activeRequest = 17
        case activeCleared = 18
        case activeRefused = 19
    }

    /// The reason for a refusal, the second byte.
    package enum Reason: UInt8, Hashable, Sendable, CaseIterable {
        case general = 0
        case accessDenied = 1
        case unknownCode = 2
        case noLongerPreviouslyActive = 3
        case noLongerActive = 4
    }

    /// Reads the eight data bytes.
    ///
    /// - Throws: `.wrongLength`.
    package init(_ data: [UInt8]) throws(DecodingError) {
        guard data.count == 8 else { throw .wrongLength(expected: 8...8, actual: data.count) }
        self.kind = Kind(rawValue: data[0])
        self.reason = Reason(rawValue: data[1])
        (self.spn, self.fmi) = (SPN(packed: data[5...7]), FMI(rawValue: data[7]))
    }
}
