// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOML

/// Looks up values in the configuration files and records a problem, with file, line and key, for each wrong one.
///
/// Every reader of a table shares one cursor. Its methods return `nil` both for a missing and for a wrong value: a
/// wrong value is recorded as a problem, and a problem prevents the configuration. An empty text counts as not set.
struct ConfigurationCursor: Sendable {
    let files: ConfigurationFiles
    /// The facts of the machine that variables and credentials stand for.
    let host: HostFacts
    private var problems = ProblemList()

    /// Parses the files and checks them for control characters.
    ///
    /// - Parameter overlays: the files that are read after the main file, in this order.
    init(
        _ main: SourceFile,
        overlays: [SourceFile] = [],
        host: HostFacts = HostFacts()
    ) throws(ConfigurationError) {
        self.files = try ConfigurationFiles(main: main, overlays: overlays)
        self.host = host
        for (file, document) in self.files.documents {
            for problem in ControlCharacterCheck.problems(in: document, file: file) { self.problems.append(problem) }
        }
    }

    /// Returns the value, or throws all problems found so far.
    ///
    /// - Parameter value: `nil` only if the reason was recorded as a problem.
    func require<Value>(_ value: Value?) throws(ConfigurationError) -> Value {
        if let error = self.problems.error(mainFile: self.files.mainFile) { throw error }
        guard let value else { throw ConfigurationError(problems: []) }
        return value
    }

    // MARK: - Problems

    /// The number of problems found so far.
    var problemCount: Int { self.problems.count }

    /// Records the problems of another file.
    mutating func report(_ error: ConfigurationError) {
        self.problems.append(contentsOf: error)
    }

    /// Records a problem with the value at `path`, with one element of the list there, or with a member of that element.
    mutating func report(
        _ path: [String],
        _ message: String,
        suggestion: String? = nil,
        element: Int? = nil,
        member: String? = nil
    ) {
        let place = self.files.place(of: path + [element.map { String($0) }, member].compactMap(\.self))
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

    /// Records that the value of `key`, or one element of its list, is invalid.
    mutating func report(_ key: Key, _ error: ValueError, element: Int? = nil) {
        self.report(key.path, error.description, suggestion: error.suggestion, element: element)
    }

    // MARK: - Lookups

    /// Returns the table of `section`, if it is one.
    func table(_ section: Section) -> Table? {
        self.value(at: [section.rawValue])?.table
    }

    /// Returns the value of `key`, whatever its type.
    func value(_ key: Key) -> TOMLValue? {
        self.value(at: key.path)
    }

    /// Returns the value at `path`, whatever its type.
    func value(at path: [String]) -> TOMLValue? {
        self.files.value(at: path)
    }

    /// Returns whether there is a value at `path`, and not an empty text.
    func isSet(_ path: [String]) -> Bool {
        switch self.value(at: path) {
        case nil, .text(""): false
        case .some: true
        }
    }
}
