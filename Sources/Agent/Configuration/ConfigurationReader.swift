// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import TOML


/// Takes values out of a configuration file and notes all that is wrong with them.
///
/// Every method answers `nil` both for what is missing and for what is wrong: a wrong value is a noted problem, and
/// with a problem there is no configuration. An empty text means that the key is not set.
struct ConfigurationReader {
    typealias Problem = ConfigurationError.Problem

    private static let maximumProblems = 100

    let file: String
    let host: HostFacts
    /// All files, the main one first.
    private let documents: [(file: String, document: Document)]
    /// What all files say together.
    private let root: Table
    private var problems: [Problem] = []

    /// - Parameter overlays: what is read after the main file, in this order.
    init(
        _ bytes: [UInt8],
        file: String,
        overlays: [SetFile] = [],
        host: HostFacts = HostFacts()
    ) throws(ConfigurationError) {
        var documents: [(file: String, document: Document)] = []
        for source in [SetFile(file: file, bytes: bytes)] + overlays {
            do {
                documents.append((source.file, try Document(source.bytes)))
            } catch {
                throw ConfigurationError(error, file: source.file)
            }
        }
        self.file = file
        self.host = host
        self.documents = documents
        // The tables, and their keys; what a key is set to is replaced as a whole.
        self.root = documents.dropFirst().reduce(documents[0].document.root) {
            $0.overlaid(by: $1.document.root, depth: 1)
        }
        for (file, document) in documents {
            self.reportControls(in: .table(document.root), at: [], line: 1, of: file)
        }
    }

    /// Notes the texts with control characters and with code points that are no characters.
    ///
    /// Brokers refuse them in topics, names and client ids (MQTT 5, section 1.5.4), and in C a text ends at NUL.
    private mutating func reportControls(in value: Value, at path: [String], line: Int, of file: String) {
        switch value {
        case .table(let table):
            for entry in table.entries {
                self.reportControls(in: entry.value, at: path + [entry.name], line: entry.position.line, of: file)
            }
        case .array(let nodes):
            for node in nodes { self.reportControls(in: node.value, at: path, line: node.position.line, of: file) }
        case .text(let text):
            guard let scalar = text.unicodeScalars.first(where: Self.isControl) else { return }
            let code = scalar.value.hexadecimal(digits: 4)
            let message = "holds the control character U+\(code), which brokers refuse. Try: remove it"
            self.problems.append(.init(file: file, line: line, key: keyName(path), message: message))
        case .integer, .number, .flag, .moment:
            break
        }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || scalar.properties.isNoncharacterCodePoint
    }

    /// Ends the reading: `value`, or the error with all problems; what is `nil` has been noted as one.
    func finish<Value>(_ value: Value?) throws(ConfigurationError) -> Value {
        if self.problems.isEmpty, let value { return value }
        // By line, this file's first; `sorted` is stable, so problems of one line stay in the order of their finding.
        func place(_ problem: Problem) -> (String, Int) {
            (problem.file == self.file ? "" : problem.file, problem.line ?? 0)
        }
        var problems = self.problems.sorted { place($0) < place($1) }
        let rest = problems.count - Self.maximumProblems
        if rest > 0 {
            problems.removeLast(rest)
            problems.append(.init(file: self.file, message: "and \(rest) more problems"))
        }
        throw ConfigurationError(problems: problems)
    }

    /// How many problems were noted.
    var problemCount: Int { self.problems.count }

    /// Notes the problems of another file.
    mutating func report(_ error: ConfigurationError) {
        self.problems += error.problems
    }

    /// Notes a problem with what stands at `path`.
    mutating func report(_ path: [String], _ message: String, suggestion: String? = nil, element: Int? = nil) {
        let place = self.place(of: path + (element.map { [String($0)] } ?? []))
        self.problems.append(
            .init(
                file: place.file,
                line: place.line,
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
        switch self.found(key) {
        case nil, .text(""), .array([]):
            self.report(key.path, "missing; set it, as in \(key.name) = \"\(example)\"")
        default:
            break
        }
    }

    /// The file that counts for `path`, and the line of the first mention there; or else of what would contain it, or
    /// else the main file's last one.
    ///
    /// - Parameter path: names, and indices of elements.
    func place(of path: [String]) -> (file: String, line: Int) {
        var best: (depth: Int, file: String, line: Int)?
        for (file, document) in self.documents {
            let (depth, line) = Self.search(path, in: document)
            // The last that has all of it counts; of those that lack it, the first.
            if depth > best?.depth ?? 0 || depth == path.count && depth > 0 { best = (depth, file, line) }
        }
        return best.map { ($0.file, $0.line) } ?? (self.file, self.documents[0].document.lineCount)
    }

    private static func search(_ path: [String], in document: Document) -> (depth: Int, line: Int) {
        var (depth, line) = (0, document.lineCount)
        var value = Value.table(document.root)
        for name in path {
            if let entry = value.table?[name] {
                (line, value) = (entry.position.line, entry.value)
            } else if case .array(let nodes) = value, let index = Int(name), nodes.indices.contains(index) {
                (line, value) = (nodes[index].position.line, nodes[index].value)
            } else {
                break
            }
            depth += 1
        }
        return (depth, line)
    }

    /// The table of `section`, if it is one.
    func table(_ section: Section) -> Table? {
        self.root[section.rawValue]?.value.table
    }

    /// What stands at `key`, whatever it is.
    func found(_ key: Key) -> Value? {
        self.root[key.path[0]]?.value.table?[key.name]?.value
    }

    /// The truth value at `key`, which the main file alone may have.
    mutating func mainFlag(_ key: Key) -> Bool? {
        for (file, document) in self.documents.dropFirst() where Self.search(key.path, in: document).depth == 2 {
            let line = Self.search(key.path, in: document).line
            let message = "may stand in the main file only. Try: set it in \(self.file)"
            self.problems.append(.init(file: file, line: line, key: keyName(key.path), message: message))
        }
        return self.flag(key)
    }

    /// Notes every key and table that is not known.
    mutating func reportUnknownKeys() {
        for entry in self.root.entries {
            guard let section = Section(rawValue: entry.name) else {
                self.reportUnknown(entry)
                continue
            }
            guard let table = entry.value.table else {
                self.report([entry.name], "expected a table, found \(entry.value)")
                continue
            }
            guard section != .parameters, section != .custom else { continue }
            let keys = Key.keys(of: section).map(\.name)
            for name in table.entries.map(\.name) where !keys.contains(name) {
                let meant = Self.elsewhere(name) ?? Spelling.closest(to: name, in: keys)
                self.report([section.rawValue, name], "unknown key", suggestion: meant)
            }
        }
    }

    /// Notes every key and table outside of `section`.
    mutating func reportAllBut(_ section: Section) {
        for entry in self.root.entries {
            if entry.name != section.rawValue {
                self.report([entry.name], "a set has tables [\(section).NAME] only")
            } else if entry.value.table == nil {
                self.report([entry.name], "expected a table, found \(entry.value)")
            }
        }
    }

    private mutating func reportUnknown(_ entry: Table.Entry) {
        if entry.value.table == nil {
            self.report([entry.name], "unknown key", suggestion: Self.elsewhere(entry.name))
        } else {
            let meant = Spelling.closest(to: entry.name, in: Section.allCases.map(\.rawValue))
            self.report([entry.name], "unknown table", suggestion: meant.map { "[\($0)]" })
        }
    }

    /// The key of that name in some table: `[mqtt] url`.
    private static func elsewhere(_ name: String) -> String? {
        Key.allCases.first { $0.name == name }.map { keyName($0.path) }
    }
}
