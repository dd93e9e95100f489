// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The PIDs that one ECU supports, merged from its bitmaps 00, 20 … E0 (SAE J1979, PID 00).
package struct SupportedPIDs: Hashable, Sendable {
    /// The bitmaps, a word for each; the most significant bit is the PID after the bitmap's own.
    private var words = SIMD8<UInt32>(repeating: 0)
    /// The merged bitmaps, a bit for each.
    private var merged: UInt8 = 0

    /// Creates a set without any merged bitmap.
    package init() {}

    /// Creates the set of an ECU that supports `pids`, with the bitmap PIDs before them.
    package init(_ pids: some Sequence<PID>) {
        self.merged = .max
        for pid in pids where pid != 0x00 {
            self.insert(pid)
            for base in (1..<UInt8(8)).map({ $0 * 0x20 }) where base < pid.rawValue {
                self.insert(PID(rawValue: base))
            }
        }
    }

    /// Merges the data of bitmap PID `base`.
    ///
    /// - Throws: `.notABitmap`, `.wrongLength` if the bitmap does not have four bytes.
    package mutating func merge(base: PID, bitmap: [UInt8]) throws(DecodingError) {
        guard base.isBitmap else { throw .notABitmap(base) }
        guard bitmap.count == 4 else { throw .wrongLength(expected: 4...4, actual: bitmap.count) }
        let lane = Int(base.rawValue / 0x20)
        self.words[lane] |= bitmap.reduce(0) { $0 << 8 | UInt32($1) }
        self.merged |= 1 << UInt8(lane)
    }

    /// Replaces the data of bitmap PID `base`.
    ///
    /// - Throws: `.notABitmap`, `.wrongLength` if the bitmap does not have four bytes.
    package mutating func replace(base: PID, bitmap: [UInt8]) throws(DecodingError) {
        var new = SupportedPIDs()
        try new.merge(base: base, bitmap: bitmap)
        self.words.replace(with: new.words, where: SIMD8(0..<8) .== Int32(base.rawValue / 0x20))
        self.merged |= new.merged
    }

    /// Whether a merged bitmap has the PID; for 00, whether its own bitmap was merged.
    package func contains(_ pid: PID) -> Bool {
        guard pid != 0x00 else { return self.merged & 1 == 1 }
        let (lane, mask) = Self.position(of: pid)
        return self.words[lane] & mask != 0
    }

    /// The supported PIDs in ascending order, with the bitmap PIDs.
    package var pids: [PID] {
        (UInt8(1)...UInt8.max).map(PID.init(rawValue:)).filter(self.contains)
    }

    /// The next bitmap to request, which is supported and not merged yet; nil if there is none.
    package var nextBitmap: PID? {
        (0..<8).first { self.merged & (1 << $0) == 0 && ($0 == 0 || self.contains(PID(rawValue: $0 * 0x20))) }
            .map { PID(rawValue: $0 * 0x20) }
    }

    /// Returns the ECU's four bytes of bitmap PID `base`; nil if `base` is not a bitmap.
    package func bitmap(_ base: PID) -> [UInt8]? {
        guard base.isBitmap else { return nil }
        let word = self.words[Int(base.rawValue / 0x20)]
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
    }

    /// Adds a PID that the ECU has answered.
    package mutating func insert(_ pid: PID) {
        let (lane, mask) = Self.position(of: pid)
        self.words[lane] |= mask
    }

    /// Returns the word and the bit of a PID other than 00.
    private static func position(of pid: PID) -> (lane: Int, mask: UInt32) {
        let index = UInt32(pid.rawValue) &- 1
        return (Int(index / 32) & 7, 1 << (31 - index % 32))
    }
}
