// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The text of bytes in a line of a transcript: printable bytes as they are, all others escaped.
enum TranscriptText {
    /// Returns printable bytes as they are, and all others as `\r`, `\n`, `\\`, or `\x` with two digits.
    ///
    /// A space at either end is written as `\x20`, so that no editor removes it.
    static func escaped(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + 8)
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case 0x0D: text += Array("\\r".utf8)
            case 0x0A: text += Array("\\n".utf8)
            case UInt8(ascii: "\\"): text += Array("\\\\".utf8)
            case 0x20 where index == 0 || index == bytes.count - 1: text += Array("\\x20".utf8)
            case 0x20...0x7E: text.append(byte)
            default: text += Array("\\x".utf8) + [Self.digit(byte >> 4), Self.digit(byte & 0xF)]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of an escaped text; nil if the text is malformed.
    static func bytes(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                guard 0x20...0x7E ~= byte else { return nil }
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
            case UInt8(ascii: "x"):
                guard let byte = Self.bytes(digits: Substring(rest.prefix(2)))?.first else { return nil }
                bytes.append(byte)
                rest = rest.dropFirst(2)
            default: return nil
            }
        }
        return bytes
    }

    /// Returns two hexadecimal digits for each byte.
    static func digits(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.flatMap { [Self.digit($0 >> 4), Self.digit($0 & 0xF)] }, as: UTF8.self)
    }

    /// Returns the bytes of hexadecimal digits, or no bytes for `-`; nil if the text is neither.
    static func bytes(digits: Substring) -> [UInt8]? {
        guard digits != "-" else { return [] }
        return digits.isEmpty ? nil : [UInt8](hexadecimal: digits)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
