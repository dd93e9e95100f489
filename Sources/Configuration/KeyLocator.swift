// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Where the keys of a TOML text stand, and whether the text is fit for the parser.
///
/// The parser keeps no positions, so this reads the text a second time, only as far as needed to tell keys from
/// values. Keys inside an inline table and keys spelt with escapes count as the line of what contains them. It accepts
/// what is not TOML: the parser has the last word.
struct KeyLocator: Sendable {
    /// The statements in order: each table header and each key.
    private let statements: [KeyScanner.Statement]
    /// The first line of each path and of what contains it; a list's elements are paths too, ending in their index.
    private let lines: [[String]: Int]
    /// The number of lines, at least 1.
    let lineCount: Int
    /// The first line that nests deeper than ``maximumNesting``.
    ///
    /// The parser recurses as deep as a text tells it to, and 100,000 dots in a key end the process.
    let deepLine: Int?
    /// The first line with an escaped NUL, at which the parser's strings would end unseen.
    let nulLine: Int?

    /// The most dots and opening brackets that one statement and its table's header may have together.
    static let maximumNesting = 64

    init(_ bytes: [UInt8]) {
        var scanner = KeyScanner(bytes)
        scanner.scan()
        self.statements = scanner.statements
        var lines: [[String]: Int] = [:]
        for statement in scanner.statements + scanner.elements {
            for end in statement.path.indices {
                let path = Array(statement.path[...end])
                lines[path] = min(lines[path] ?? .max, statement.line)
            }
        }
        self.lines = lines
        // What follows the last line feed is a line only if there is something.
        self.lineCount = max(1, bytes.last == UInt8(ascii: "\n") ? scanner.line - 1 : scanner.line)
        self.deepLine = scanner.deepLine
        self.nulLine = scanner.nulLine
    }

    /// The line of `path`, or else of what would contain it, or else the last one.
    func line(of path: [String]) -> Int {
        var path = path[...]
        while !path.isEmpty {
            if let line = self.lines[Array(path)] { return line }
            path.removeLast()
        }
        return self.lineCount
    }

    /// The line where `path` itself is first set, if it is.
    func firstLine(of path: [String]) -> Int? {
        self.lines[path]
    }

    /// The statement that `line` belongs to.
    func statement(atLine line: Int) -> KeyScanner.Statement? {
        self.statements.last { $0.line <= line }
    }
}
