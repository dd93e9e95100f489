// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Where the keys of a TOML text stand, and whether the text is fit for the parser.
///
/// The parser keeps no positions, so this reads the text a second time, only as far as needed to tell keys from
/// values. Keys inside an inline table and keys spelt with escapes count as the line of what contains them. It accepts
/// what is not TOML: the parser has the last word.
struct KeyLocator: Sendable {
    /// The statements in order: each table header and each key, by its whole path, with its line.
    private let statements: [(path: [String], line: Int)]
    /// The first line of each path. A list's elements are paths too, ending in their index.
    private let lines: [[String]: Int]
    /// The number of lines, at least 1.
    let lineCount: Int
    /// The first line that nests deeper than ``maximumNesting``. The parser recurses as deep as the text tells it to.
    let deepLine: Int?
    /// The first line with an escaped NUL, at which the parser's strings would end unseen.
    let nulLine: Int?

    /// The most dots and opening brackets that one statement and its table's header may have together.
    static let maximumNesting = 64

    init(_ bytes: [UInt8]) {
        var scanner = KeyScanner(bytes)
        scanner.scan()
        self.statements = scanner.statements
        self.lines = Dictionary(
            scanner.statements.lazy.map { ($0.path, $0.line) } + scanner.elements.lazy.map { ($0.path, $0.line) },
            uniquingKeysWith: { first, _ in first }
        )
        self.lineCount = scanner.line
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

    /// The path of the statement that `line` belongs to.
    func path(atLine line: Int) -> [String]? {
        self.statements.last { $0.line <= line }?.path
    }
}
