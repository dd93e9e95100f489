// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The position of a record in its stream: its epoch and its number in that epoch, as one ordered number.
package struct RecordID: Hashable, Comparable, Sendable {
    /// The number in the database.
    package let rawValue: Int64

    /// The number of bits of ``seq``, enough for a record a second for 34 years.
    private static let bits: Int64 = 30
    private static let mask: Int64 = (1 << Self.bits) - 1
    /// The largest epoch: the seconds since 1970 in the year 2242.
    package static let epochLimit: UInt64 = (1 << 33) - 1

    /// The largest number.
    static let seqLimit = UInt64(Self.mask)

    package static let zero = RecordID(rawValue: 0)

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// Clamps each part to its limit.
    package init(epoch: UInt64, seq: UInt64) {
        let epoch = Int64(min(epoch, Self.epochLimit))
        self.rawValue = epoch << Self.bits | Int64(min(seq, UInt64(Self.mask)))
    }

    package var epoch: UInt64 { UInt64(max(0, self.rawValue) >> Self.bits) }
    package var seq: UInt64 { UInt64(self.rawValue & Self.mask) }

    /// The previous position.
    var before: RecordID { RecordID(rawValue: max(0, self.rawValue - 1)) }

    package static func < (left: RecordID, right: RecordID) -> Bool { left.rawValue < right.rawValue }
}
