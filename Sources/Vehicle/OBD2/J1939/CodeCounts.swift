// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The numbers of one ECU's codes by their state: DM29, regulated code counts (SAE J1939-73, 5.7.29).
///
/// A number is nil if the ECU does not report it.
package struct CodeCounts: Hashable, Sendable {
    /// The number of pending codes that affect emissions: DM6.
    package let pending: Int?
    /// The number of all pending codes: DM27.
    package let allPending: Int?
    /// The number of active codes that turn the malfunction indicator lamp on: DM12.
    package let lampOn: Int?
    /// The number of previously active codes that turned the lamp on: DM23.
    package let previouslyLampOn: Int?
    /// The number of permanent codes: DM28.
    package let permanent: Int?

    /// Reads the data, of which the first five bytes count.
    ///
    /// - Throws: `.wrongLength`.
    package init(_ data: [UInt8]) throws(DecodingError) {
        guard 5...8 ~= data.count else { throw .wrongLength(expected: 5...8, actual: data.count) }
        self.pending = GroupCount.value(data[0])
        self.allPending = GroupCount.value(data[1])
        self.lampOn = GroupCount.value(data[2])
        self.previouslyLampOn = GroupCount.value(data[3])
        self.permanent = GroupCount.value(data[4])
    }
}
