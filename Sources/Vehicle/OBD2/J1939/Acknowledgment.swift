// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The answer to a request that has no data to answer with, such as DM11, or is refused (SAE J1939-21, 5.4.4).
package struct Acknowledgment: Hashable, Sendable {
    /// The outcome; nil for a reserved number.
    package let outcome: Outcome?
    /// The address of the requester; nil if the ECU does not name it.
    package let requester: UInt8?
    /// The requested group.
    package let group: PGN

    /// The control byte.
    package enum Outcome: UInt8, Hashable, Sendable, CaseIterable {
        case acknowledged = 0
        case refused = 1
        case accessDenied = 2
        case busy = 3
    }

    /// Reads the eight data bytes.
    ///
    /// - Throws: `.wrongLength`.
    package init(_ data: [UInt8]) throws(DecodingError) {
        guard data.count == 8 else { throw .wrongLength(expected: 8...8, actual: data.count) }
        self.outcome = Outcome(rawValue: data[0])
        self.requester = data[4] == 0xFF ? nil : data[4]
        self.group = PGN(littleEndian: data[5...7])
    }
}
