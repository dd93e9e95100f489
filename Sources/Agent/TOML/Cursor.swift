// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A position in the bytes of a text that only moves forward.
struct Cursor: Sendable {
    private let bytes: [UInt8]
    private(set) var index: Int
    /// A position at or before the cursor, with its line and column.
    private var mark: (index: Int, position: Position)

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        self.index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        self.mark = (self.index, Position(line: 1, column: 1))
    }

    /// The next byte, or `nil` at the end.
    var byte: UInt8? { self.byte(after: 0) }

    /// Returns the byte after the next `count` bytes, or `nil` past the end.
    func byte(after count: Int) -> UInt8? {
        let index = self.index + count
        return index < self.bytes.count ? self.bytes[index] : nil
    }

    /// The next character of valid UTF-8.
    var scalar: Unicode.Scalar? {
        String(decoding: self.bytes[self.index...].prefix(4), as: UTF8.self).unicodeScalars.first
    }

    /// Whether the cursor is at the end of a line: LF or CR LF.
    var isAtLineEnd: Bool {
        switch self.byte {
        case UInt8(ascii: "\n"): true
        case UInt8(ascii: "\r"): self.byte(after: 1) == UInt8(ascii: "\n")
        default: false
        }
    }

    /// Returns the line and the column of the next byte.
    mutating func position() -> Position {
        for byte in self.bytes[self.mark.index..<self.index] {
            if byte == UInt8(ascii: "\n") {
                self.mark.position = Position(line: self.mark.position.line + 1, column: 1)
            } else if byte & 0xC0 != 0x80 {
                self.mark.position.column += 1
            }
        }
        self.mark.index = self.index
        return self.mark.position
    }

    mutating func advance(_ count: Int = 1) {
        self.index = min(self.index + count, self.bytes.count)
    }

    mutating func skip(while isSkipped: (UInt8) -> Bool) {
        while let byte = self.byte, isSkipped(byte) { self.index += 1 }
    }

    mutating func skipBlanks() {
        self.skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    /// Skips the line end at the cursor.
    mutating func skipLineEnd() {
        self.advance(self.byte == UInt8(ascii: "\r") ? 2 : 1)
    }

    /// Returns the bytes from `start` to the cursor.
    func bytes(since start: Int) -> ArraySlice<UInt8> {
        self.bytes[start..<self.index]
    }
}

extension UInt8 {
    /// Whether TOML forbids the byte, except as a part of a line end.
    var isControl: Bool {
        (self < 0x20 && self != UInt8(ascii: "\t")) || self == 0x7F
    }

    var isDigit: Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= self
    }

    /// Whether the byte may be a part of a key without quotes.
    var isBareKeyByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: self.isDigit
        }
    }
}
