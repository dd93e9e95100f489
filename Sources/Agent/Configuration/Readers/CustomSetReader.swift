// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import TOML

/// Collects the custom parameters of the configuration and of the sets that `[parameters] sets` names.
struct CustomSetReader {
    /// The key of `[parameters]` that names sets.
    static let key = "sets"
    /// The value of the key that lets the agent choose the set by the vehicle's model.
    static let detection = "detect"
    static let path = [Section.parameters.rawValue, Self.key]

    private var found: [String: CustomEntry] = [:]

    /// Returns the custom parameters, ordered by name, each name once.
    ///
    /// - Parameter readSets: returns the set at a path, or all sets of a directory.
    static func read(
        _ readSets: (String) throws(ConfigurationError) -> [SourceFile],
        _ cursor: inout ConfigurationCursor
    ) -> [CustomEntry] {
        let allowsAnyHeader = cursor.mainFileFlag(.adapterNonDiagnosticHeaders) ?? false
        var reader = Self()
        reader.add(CustomTableReader.read(allowsAnyHeader: allowsAnyHeader, &cursor), &cursor)
        for (path, element) in Self.paths(&cursor) {
            do throws(ConfigurationError) {
                for file in try readSets(path) {
                    reader.add(try Self.entries(of: file, allowsAnyHeader: allowsAnyHeader), &cursor)
                }
            } catch {
                // A problem without a line is about reading the set: its place is the line that names the set.
                if error.problems.allSatisfy({ $0.line == nil }) {
                    let message = error.problems.map { "\($0.file) \($0.message)" }.joined(separator: "; ")
                    cursor.report(Self.path, message, element: element)
                } else {
                    cursor.report(error)
                }
            }
        }
        return reader.found.values.sorted { $0.parameter.name < $1.parameter.name }
    }

    private mutating func add(_ entries: [CustomEntry], _ cursor: inout ConfigurationCursor) {
        for entry in entries {
            let name = entry.parameter.name
            if let first = self.found[name] {
                cursor.report(
                    ConfigurationError(
                        file: entry.file,
                        line: entry.line,
                        key: keyName([Section.custom.rawValue, name]),
                        message: "already set in \(first.file) on line \(first.line). Try: keep one of the two"
                    )
                )
            } else if self.found.count == CustomEntry.limit {
                cursor.report(
                    ConfigurationError(
                        file: entry.file,
                        line: entry.line,
                        message: "more than \(CustomEntry.limit) custom parameters. Try: remove some"
                    )
                )
                return
            } else {
                self.found[name] = entry
            }
        }
    }

    /// Returns the custom parameters of one set.
    static func entries(
        of file: SourceFile,
        allowsAnyHeader: Bool
    ) throws(ConfigurationError) -> [CustomEntry] {
        var cursor = try ConfigurationCursor(file)
        KeyCheck.reportKeysOutside(of: .custom, &cursor)
        let entries = CustomTableReader.read(allowsAnyHeader: allowsAnyHeader, &cursor)
        return try cursor.require(entries)
    }

    /// Returns the paths of the files and directories that `[parameters] sets` names.
    private static func paths(_ cursor: inout ConfigurationCursor) -> [(path: String, element: Int)] {
        let value = cursor.value(at: Self.path)
        guard let value, value != .text(Self.detection) else { return [] }
        guard case .array(let elements) = value else {
            let found = "found \(value). Try: [\"/etc/obd-agent/sets\"], or \"\(Self.detection)\""
            cursor.report(Self.path, "expected a list of files or directories, \(found)")
            return []
        }
        var paths: [(String, Int)] = []
        for (index, element) in elements.enumerated() {
            guard case .text(let path) = element.value, path.hasPrefix("/") else {
                cursor.report(Self.path, "expected absolute paths in quotes, found \(element.value)", element: index)
                continue
            }
            paths.append((path, index))
        }
        return paths
    }
}
