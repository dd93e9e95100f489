// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Base64 with the alphabet for addresses and without padding (RFC 4648 section 5, RFC 7515 section 2).
///
/// The last letter may have unused bits. They must be 0; otherwise one message would have several texts, each with a
/// valid signature.
package enum Base64URL {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Returns the text of `bytes`, without padding.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for byte in bytes {
            // At most 4 bits are left from the previous bytes.
            bits = (bits << 8 | UInt32(byte)) & 0xFFF
            count += 8
            while count >= 6 {
                count -= 6
                text.append(Self.letters[Int(bits >> count & 0x3F)])
            }
        }
        if count > 0 { text.append(Self.letters[Int(bits << (6 - count) & 0x3F)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of a text, or `nil` if ``encode(_:)`` could not have returned that text.
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for letter in text {
            guard let value = Self.value(of: letter) else { return nil }
            bits = (bits << 6 | value) & 0xFFF
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        // If 6 bits are left, the last letter starts a byte that never ends.
        guard count < 6, bits & (1 << count - 1) == 0 else { return nil }
        return bytes
    }

    private static func value(of letter: UInt8) -> UInt32? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
