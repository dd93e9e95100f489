// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The numbers of SAE J1939-73, of which the upper twentieth of the range stands for "error" and "not available".
enum GroupCount {
    /// Returns the number in a byte; nil if it has none.
    static func value(_ byte: UInt8) -> Int? { byte <= 0xFA ? Int(byte) : nil }

    /// Returns the number in two bytes, the least significant first; nil if they have none.
    static func value(_ bytes: ArraySlice<UInt8>) -> Int? {
        let word = Self.word(bytes)
        return word <= 0xFAFF ? Int(word) : nil
    }

    /// Returns two bytes, the least significant first, as they are.
    static func word(_ bytes: ArraySlice<UInt8>) -> UInt16 { bytes.reversed().reduce(0) { $0 << 8 | UInt16($1) } }

    /// Returns the byte for a number.
    static func byte(_ count: Int?) -> UInt8 { count.map { UInt8(max(0, min(0xFA, $0))) } ?? 0xFF }

    /// Returns the two bytes for a number, the least significant first.
    static func bytes(_ count: Int?) -> [UInt8] {
        let word = count.map { UInt16(max(0, min(0xFAFF, $0))) } ?? 0xFFFF
        return [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
    }
}
