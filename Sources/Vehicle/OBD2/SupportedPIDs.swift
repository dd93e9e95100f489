// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The PIDs that one ECU says it supports, gathered from its bitmaps 00, 20 … E0 (SAE J1979, PID 00).
package struct SupportedPIDs: Hashable, Sendable {
    /// One word for each bitmap; the most significant bit is the PID after the bitmap's own.
    private var words = SIMD8<UInt32>(repeating: 0)
    /// The bitmaps that were merged, a bit for each.
    private var merged: UInt8 = 0

    /// Nothing is known yet.
    package init() {}

    /// An ECU that supports `pids`; the bitmaps in between are announced by themselves.
    package init(_ pids: some Sequence<PID>) {
        self.merged = .max
        for pid in pids where pid != 0x00 {
            self.insert(pid)
            for base in (1..<UInt8(8)).map({ $0 * 0x20 }) where base < pid.rawValue {
                self.insert(PID(rawValue: base))
            }
        }
    }

    /// Adds what the reply to bitmap PID `base` says.
    ///
    /// - Throws: `.notABitmap`, `.wrongLength` if it has not four bytes.
    package mutating func merge(base: PID, bitmap: [UInt8]) throws(DecodingError) {
        guard base.isBitmap else { throw .notABitmap(base) }
        guard bitmap.count == 4 else { throw .wrongLength(expected: 4...4, actual: bitmap.count) }
        let lane = Int(base.rawValue / 0x20)
        self.words[lane] |= bitmap.reduce(0) { $0 << 8 | UInt32($1) }
        self.merged |= 1 << UInt8(lane)
    }

    /// Whether a merged bitmap has the PID; 00 once it was answered itself.
    package func contains(_ pid: PID) -> Bool {
        guard pid != 0x00 else { return self.merged & 1 == 1 }
        let (lane, mask) = Self.position(of: pid)
        return self.words[lane] & mask != 0
    }

    /// All that the bitmaps say, ascending, with the bitmap PIDs that they announce.
    package var pids: [PID] {
        (UInt8(1)...UInt8.max).map(PID.init(rawValue:)).filter(self.contains)
    }

    /// The bitmap to ask next: announced and not merged yet; nil when all are known.
    package var nextBitmap: PID? {
        (0..<8).first { self.merged & (1 << $0) == 0 && ($0 == 0 || self.contains(PID(rawValue: $0 * 0x20))) }
            .map { PID(rawValue: $0 * 0x20) }
    }

    /// The four bytes that the ECU answers to bitmap PID `base`; nil if that is none.
    package func bitmap(_ base: PID) -> [UInt8]? {
        guard base.isBitmap else { return nil }
        let word = self.words[Int(base.rawValue / 0x20)]
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
    }

    /// Adds a PID that an ECU was seen to have.
    package mutating func insert(_ pid: PID) {
        let (lane, mask) = Self.position(of: pid)
        self.words[lane] |= mask
    }

    /// Where a PID other than 00 has its bit.
    private static func position(of pid: PID) -> (lane: Int, mask: UInt32) {
        let index = UInt32(pid.rawValue) &- 1
        return (Int(index / 32) & 7, 1 << (31 - index % 32))
    }
}
