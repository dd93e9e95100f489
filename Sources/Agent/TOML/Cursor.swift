// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A place in the bytes of a text that only moves forward.
struct Cursor: Sendable {
    private let bytes: [UInt8]
    private(set) var index: Int
    /// A place behind, or at, the cursor, and its line and column.
    private var mark: (index: Int, position: Position)

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        self.index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        self.mark = (self.index, Position(line: 1, column: 1))
    }

    /// The next byte; nil at the end.
    var byte: UInt8? { self.byte(after: 0) }

    /// The byte that comes after `count` others.
    func byte(after count: Int) -> UInt8? {
        let index = self.index + count
        return index < self.bytes.count ? self.bytes[index] : nil
    }

    /// The next character of valid UTF-8.
    var scalar: Unicode.Scalar? {
        String(decoding: self.bytes[self.index...].prefix(4), as: UTF8.self).unicodeScalars.first
    }

    /// Whether a line ends here.
    var isAtLineEnd: Bool {
        switch self.byte {
        case UInt8(ascii: "\n"): true
        case UInt8(ascii: "\r"): self.byte(after: 1) == UInt8(ascii: "\n")
        default: false
        }
    }

    /// Line and column of the next byte.
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

    /// Goes past a line's end that is here.
    mutating func skipLineEnd() {
        self.advance(self.byte == UInt8(ascii: "\r") ? 2 : 1)
    }

    /// What was passed since `start`.
    func passed(since start: Int) -> ArraySlice<UInt8> {
        self.bytes[start..<self.index]
    }
}

extension UInt8 {
    /// Whether TOML allows it nowhere but, perhaps, as an end of line.
    var isControl: Bool {
        (self < 0x20 && self != UInt8(ascii: "\t")) || self == 0x7F
    }

    var isDigit: Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= self
    }

    /// Whether it may stand in a key without quotes.
    var isBare: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: self.isDigit
        }
    }
}
