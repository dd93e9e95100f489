// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Takes values out of a configuration file and notes all that is wrong with them.
///
/// Every method answers `nil` both for what is missing and for what is wrong: a wrong value is a noted problem, and
/// with a problem there is no configuration. An empty text means that the key is not set.
struct ConfigurationReader {
    typealias Problem = ConfigurationError.Problem

    private static let maximumProblems = 100

    private let file: String
    private let document: Document
    private var problems: [Problem] = []

    init(_ document: Document, file: String) {
        self.document = document
        self.file = file
    }

    /// Ends the reading: `value`, or the error with all problems; what is `nil` has been noted as one.
    func finish<Value>(_ value: Value?) throws(ConfigurationError) -> Value {
        if self.problems.isEmpty, let value { return value }
        // By line; `sorted` is stable, so problems of one line stay in the order of their finding.
        var problems = self.problems.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
        let rest = problems.count - Self.maximumProblems
        if rest > 0 {
            problems.removeLast(rest)
            problems.append(.init(file: self.file, message: "and \(rest) more problems"))
        }
        throw ConfigurationError(problems: problems)
    }

    /// Notes a problem with what stands at `path`.
    mutating func report(_ path: [String], _ message: String, suggestion: String? = nil, element: Int? = nil) {
        self.problems.append(
            .init(
                file: self.file,
                line: self.line(of: path + (element.map { [String($0)] } ?? [])),
                key: keyName(path),
                message: message,
                suggestion: suggestion
            )
        )
    }

    /// Notes that the value of `key`, or its element, will not do.
    mutating func report(_ key: Key, _ error: ValueError, element: Int? = nil) {
        self.report(key.path, error.description, suggestion: error.suggestion, element: element)
    }

    /// Notes that `key` must be set.
    mutating func reportIfMissing(_ key: Key, example: String) {
        switch self.node(key) {
        case nil, .text(""), .array([]):
            self.report(key.path, "missing; set it, as in \(key.name) = \"\(example)\"")
        default:
            break
        }
    }

    func line(of path: [String]) -> Int {
        self.document.locator.line(of: path)
    }

    /// The table of `section`, if it is one.
    func table(_ section: Section) -> [String: Node]? {
        self.document.root[section.rawValue]?.table
    }

    /// What stands at `key`, whatever it is.
    func node(_ key: Key) -> Node? {
        self.document.root[key.path[0]]?.table?[key.name]
    }

    /// Notes every key and table that is not known.
    mutating func reportUnknownKeys() {
        for (name, node) in self.document.root {
            guard let section = Section(rawValue: name) else {
                self.reportUnknown(name, node)
                continue
            }
            guard let table = node.table else {
                self.report([name], "expected a table, found \(node)")
                continue
            }
            guard section != .parameters else { continue }
            let keys = Key.keys(of: section).map(\.name)
            for name in table.keys where !keys.contains(name) {
                let meant = Self.elsewhere(name) ?? Spelling.closest(to: name, in: keys)
                self.report([section.rawValue, name], "unknown key", suggestion: meant)
            }
        }
    }

    private mutating func reportUnknown(_ name: String, _ node: Node) {
        if node.table == nil {
            self.report([name], "unknown key", suggestion: Self.elsewhere(name))
        } else {
            let meant = Spelling.closest(to: name, in: Section.allCases.map(\.rawValue))
            self.report([name], "unknown table", suggestion: meant.map { "[\($0)]" })
        }
    }

    /// The key of that name in some table: `[mqtt] url`.
    private static func elsewhere(_ name: String) -> String? {
        Key.allCases.first { $0.name == name }.map { keyName($0.path) }
    }
}
