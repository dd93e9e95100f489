// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A TOML document and the lines of its keys, before any key has a meaning.
struct Document: Sendable {
    let root: [String: Node]
    let locator: KeyLocator

    /// The largest file that is read, in bytes.
    static let maximumSize = 1 << 20

    /// - Throws: ``ConfigurationError`` with a single problem.
    init(_ bytes: [UInt8], file: String) throws(ConfigurationError) {
        guard bytes.count <= Self.maximumSize else {
            throw .init(file: file, message: "larger than 1 MiB; name the agent's own configuration file")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let line = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
            throw .init(file: file, line: line + 1, message: "not UTF-8; save the file in that encoding")
        }
        let locator = KeyLocator(bytes)
        func refusal(line: Int, _ message: String) -> ConfigurationError {
            .init(
                file: file,
                line: line,
                key: locator.statement(atLine: line).map { keyName($0.path) },
                message: message
            )
        }
        // The parser's strings end at a NUL without a word.
        if let index = bytes.firstIndex(of: 0) {
            throw refusal(line: 1 + bytes[..<index].count { $0 == UInt8(ascii: "\n") }, "a NUL character; remove it")
        }
        if let line = locator.nulLine {
            throw refusal(line: line, "an escaped NUL character; remove it")
        }
        if let line = locator.deepLine {
            throw refusal(line: line, "nested more than \(KeyLocator.maximumNesting) levels deep; two are enough")
        }
        do {
            self.root = try Node(toml: text).table ?? [:]
        } catch {
            let line = min(max(error.line, 1), locator.lineCount)
            let statement = locator.statement(atLine: line)
            if error.reason.hasPrefix("cannot redefine existing"),
                let first = statement.flatMap({ locator.firstLine(of: $0.path) }), first < line
            {
                throw refusal(line: line, "set before, on line \(first); keep one of the two")
            }
            let advice = statement?.isUnquoted == true ? "; put a text in quotes" : ""
            throw refusal(line: line, "not TOML at column \(error.column): \(error.reason)\(advice)")
        }
        self.locator = locator
    }
}

/// How errors spell the path of a key or a table: `[mqtt] url`, `[mqtt]`, `url`.
func keyName(_ path: [String]) -> String {
    let names = path.map { name in
        let isPlain =
            (1...60).contains(name.utf8.count)
            && name.utf8.allSatisfy { (UInt8(ascii: "!")...UInt8(ascii: "~")).contains($0) }
        return isPlain ? name : quoted(name)
    }
    guard let first = names.first else { return "" }
    guard names.count > 1 else { return Section(rawValue: first) == nil ? first : "[\(first)]" }
    return "[\(first)] \(names.dropFirst().joined(separator: "."))"
}
