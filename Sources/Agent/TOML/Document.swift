// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A text in TOML 1.0.
package struct Document: Equatable, Sendable {
    package let root: Table
    /// The number of lines as an editor counts them, at least 1.
    package let lineCount: Int

    /// The longest accepted text, in bytes.
    package static let maximumSize = 1 << 20
    /// The greatest depth of nested tables and lists.
    package static let maximumDepth = 64

    /// Parses a whole text.
    ///
    /// The time is proportional to the length, whatever the content. A byte order mark at the start is skipped. CR LF
    /// within a string counts as LF.
    package init(_ bytes: [UInt8]) throws(SyntaxError) {
        guard bytes.count <= Self.maximumSize else {
            throw SyntaxError(
                fault: .tooLong(limit: Self.maximumSize),
                position: Position(line: 1, column: 1),
                path: []
            )
        }
        if let position = Self.firstInvalidUTF8(bytes) {
            throw SyntaxError(fault: .notUTF8, position: position, path: [])
        }
        var parser = Parser(bytes)
        self.root = try parser.parseDocument()
        self.lineCount = parser.lineCount
    }

    private static func firstInvalidUTF8(_ bytes: [UInt8]) -> Position? {
        guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
        var position = Position(line: 1, column: 1)
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        while case .valid(let scalar) = parser.parseScalar(from: &iterator) {
            if scalar.elementsEqual([UInt8(ascii: "\n")]) {
                position = Position(line: position.line + 1, column: 1)
            } else {
                position.column += 1
            }
        }
        return position
    }
}
