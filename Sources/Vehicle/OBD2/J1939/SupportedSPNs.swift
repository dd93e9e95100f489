// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The parameters that one ECU reports in diagnostic messages: DM24, SPN support (SAE J1939-73, 5.7.24).
package struct SupportedSPNs: Hashable, Sendable {
    /// The support of one parameter.
    package struct Entry: Hashable, Sendable {
        package let spn: SPN
        /// Whether the parameter is in the expanded freeze frame, DM25.
        package let isInFreezeFrame: Bool
        /// Whether the parameter is in the data stream.
        package let isInDataStream: Bool
        /// Whether DM30 has results of its tests.
        package let hasTestResults: Bool
        /// Whether DM58 has the data behind its rationality faults.
        package let hasFaultData: Bool
        /// The number of its bytes in the freeze frame.
        package let length: Int
    }

    /// The parameters in the order of the message, which is their order in the freeze frame.
    package let entries: [Entry]

    /// Reads the data: for each parameter its number with the bits of what is not supported, and its length.
    ///
    /// SPN 0 fills a place that has no parameter.
    ///
    /// - Throws: `.wrongLength`.
    package init(_ data: [UInt8]) throws(DecodingError) {
        guard !data.isEmpty, data.count.isMultiple(of: 4) else {
            let whole = max(1, data.count / 4) * 4
            throw .wrongLength(expected: whole...whole, actual: data.count)
        }
        self.entries = stride(from: 0, to: data.count, by: 4).compactMap { start in
            let entry = data[start..<start + 4]
            let (bits, spn) = (data[start + 2], SPN(packed: entry.prefix(3)))
            guard spn != 0, !entry.allSatisfy({ $0 == 0xFF }) else { return nil }
            return Entry(
                spn: spn,
                isInFreezeFrame: bits & 1 == 0,
                isInDataStream: bits & 2 == 0,
                hasTestResults: bits & 4 == 0,
                hasFaultData: bits & 8 == 0,
                length: Int(data[start + 3])
            )
        }
    }
}
