// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Walks a TOML text statement by statement, for ``KeyLocator``.
struct KeyScanner {
    /// A table's header, a key with its value, or an element of a list.
    struct Statement: Equatable, Sendable {
        /// Of an element, its index stands last.
        let path: [String]
        let line: Int
        /// Whether its value begins like a text without quotes.
        var isUnquoted = false
    }

    private let bytes: [UInt8]
    private var index = 0
    private var table: [String] = []
    private var tableNesting = 0
    /// Dots and opening brackets of the present statement.
    private var nesting = 0

    private(set) var line = 1
    private(set) var statements: [Statement] = []
    private(set) var elements: [Statement] = []
    private(set) var deepLine: Int?
    private(set) var nulLine: Int?

    /// Longer paths are cut: no key of ours has more than two levels.
    private static let maximumPath = 4
    /// Longer names are cut, in bytes: no name of ours is half as long.
    private static let maximumName = 128

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var byte: UInt8? {
        self.index < self.bytes.count ? self.bytes[self.index] : nil
    }

    mutating func scan() {
        if self.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { self.index = 3 }
        while let byte = self.byte {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
                self.advance()
            case UInt8(ascii: "#"):
                self.skipLine()
            case UInt8(ascii: "["):
                self.scanHeader()
            default:
                self.scanKeyAndValue()
            }
        }
    }

    private mutating func scanHeader() {
        self.tableNesting = 0
        self.nesting = 0
        while self.byte == UInt8(ascii: "[") { self.advance() }
        let path = self.keyPath()
        self.table = path
        self.statements.append(.init(path: path, line: self.line))
        self.tableNesting = self.nesting
        self.skipLine()
    }

    private mutating func scanKeyAndValue() {
        self.nesting = self.tableNesting
        let line = self.line
        let path = Array((self.table + self.keyPath()).prefix(Self.maximumPath))
        if self.byte == UInt8(ascii: "=") {
            self.advance()
            self.skipBlanks()
            let isUnquoted = self.byte.map { $0 == UInt8(ascii: "/") || Self.isLetter($0) } ?? false
            self.statements.append(.init(path: path, line: line, isUnquoted: isUnquoted))
            self.scanValue(of: path)
        }
        self.skipLine()
    }

    /// Reads `a.b."c d"`, and the blanks after it.
    private mutating func keyPath() -> [String] {
        var path: [String] = []
        while true {
            self.skipBlanks()
            let part: ArraySlice<UInt8>
            if let quote = self.byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                let start = self.index + 1
                self.skipString(quote)
                part = self.bytes[start..<max(start, self.index - 1)]
            } else {
                let start = self.index
                while let byte = self.byte, !Self.endsBareKey(byte) { self.advance() }
                part = self.bytes[start..<self.index]
            }
            if path.count < Self.maximumPath {
                path.append(String(decoding: part.prefix(Self.maximumName), as: UTF8.self))
            }
            self.skipBlanks()
            guard self.byte == UInt8(ascii: ".") else { return path }
            self.nest()
            self.advance()
        }
    }

    /// Goes to the end of a value, over several lines if it is a list or a long string.
    private mutating func scanValue(of path: [String]) {
        var depth = 0
        var element = 0
        var awaitsElement = false
        while let byte = self.byte {
            if awaitsElement, depth == 1, !Self.isBlank(byte), byte != UInt8(ascii: "#"), byte != UInt8(ascii: "]") {
                self.elements.append(.init(path: path + [String(element)], line: self.line))
                awaitsElement = false
            }
            switch byte {
            case UInt8(ascii: "\n") where depth <= 0, UInt8(ascii: "#") where depth <= 0:
                return
            case UInt8(ascii: "#"):
                self.skipToLineEnd()
                continue
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                self.skipString(byte)
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                self.nest()
                if depth == 1 { awaitsElement = byte == UInt8(ascii: "[") }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
            case UInt8(ascii: ",") where depth == 1:
                element += 1
                awaitsElement = true
                self.nesting = self.tableNesting + 1
            case UInt8(ascii: "."):
                self.nest()
            default:
                break
            }
            self.advance()
        }
    }

    /// Goes past a string that starts here, of one line or, in three quotes, of several.
    private mutating func skipString(_ quote: UInt8) {
        let isLong = self.bytes[self.index...].prefix(3).elementsEqual([quote, quote, quote])
        for _ in 0..<(isLong ? 3 : 1) { self.advance() }
        while let byte = self.byte {
            if byte == quote {
                if !isLong {
                    self.advance()
                    return
                }
                if self.bytes[self.index...].prefix(3).elementsEqual([quote, quote, quote]) {
                    // Up to two quotes may belong to the text itself, right before the closing three.
                    for _ in 0..<3 { self.advance() }
                    while self.byte == quote { self.advance() }
                    return
                }
            } else if byte == UInt8(ascii: "\n"), !isLong {
                return
            } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                self.noteNUL()
                self.advance()
                if self.byte == UInt8(ascii: "\n"), !isLong { return }
            }
            self.advance()
        }
    }

    private mutating func noteNUL() {
        let escape = self.bytes[self.index...].prefix(10)
        if escape.starts(with: "\\u0000".utf8) || escape.starts(with: "\\U00000000".utf8) {
            self.nulLine = self.nulLine ?? self.line
        }
    }

    private mutating func nest() {
        self.nesting += 1
        if self.nesting > KeyLocator.maximumNesting {
            self.deepLine = self.deepLine ?? self.line
        }
    }

    private mutating func skipBlanks() {
        while self.byte == UInt8(ascii: " ") || self.byte == UInt8(ascii: "\t") { self.advance() }
    }

    private mutating func skipToLineEnd() {
        while let byte = self.byte, byte != UInt8(ascii: "\n") { self.advance() }
    }

    private mutating func skipLine() {
        self.skipToLineEnd()
        self.advance()
    }

    private mutating func advance() {
        guard let byte = self.byte else { return }
        if byte == UInt8(ascii: "\n") { self.line += 1 }
        self.index += 1
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (UInt8(ascii: "\t")...UInt8(ascii: "\r")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func endsBareKey(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "="), UInt8(ascii: "]"), UInt8(ascii: "#"),
            UInt8(ascii: "\""), UInt8(ascii: "'"):
            true
        default:
            Self.isBlank(byte)
        }
    }
}
