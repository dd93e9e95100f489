// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOML
import OBD2

/// What a set of parameters is read from, and its name for the errors.
package struct SetFile: Equatable, Sendable {
    package let file: String
    package let bytes: [UInt8]

    package init(file: String, bytes: [UInt8]) {
        self.file = file
        self.bytes = bytes
    }
}

extension ConfigurationReader {
    /// The custom parameters of this file and of all sets that it names, each name once.
    ///
    /// - Parameter read: gives the file of a path, or all of a directory.
    mutating func allCustom(_ read: (String) throws(ConfigurationError) -> [SetFile]) -> [CustomEntry] {
        let anyHeader = self.mainFlag(.adapterNonDiagnosticHeaders) ?? false
        var found: [String: CustomEntry] = [:]
        self.add(self.custom(anyHeader: anyHeader), to: &found)
        for (path, element) in self.setPaths() {
            do throws(ConfigurationError) {
                for file in try read(path) { self.add(try Self.entries(of: file, anyHeader), to: &found) }
            } catch {
                // What is wrong with a set stands in that file; that it can't be read, here.
                if error.problems.allSatisfy({ $0.line == nil }) {
                    let message = error.problems.map { "\($0.file) \($0.message)" }.joined(separator: "; ")
                    self.report(Self.setsPath, message, element: element)
                } else {
                    self.report(error)
                }
            }
        }
        return found.values.sorted { $0.parameter.name < $1.parameter.name }
    }

    private mutating func add(_ entries: [CustomEntry], to found: inout [String: CustomEntry]) {
        for entry in entries {
            let name = entry.parameter.name
            if let first = found[name] {
                self.report(
                    ConfigurationError(
                        file: entry.file,
                        line: entry.line,
                        key: keyName([Section.custom.rawValue, name]),
                        message: "set before, in \(first.file) on line \(first.line); keep one of the two"
                    )
                )
            } else if found.count == CustomEntry.limit {
                self.report(
                    ConfigurationError(
                        file: entry.file,
                        line: entry.line,
                        message: "more than \(CustomEntry.limit) custom parameters; remove some"
                    )
                )
                return
            } else {
                found[name] = entry
            }
        }
    }

    private static func entries(of file: SetFile, _ anyHeader: Bool) throws(ConfigurationError) -> [CustomEntry] {
        var reader = try ConfigurationReader(file.bytes, file: file.file)
        reader.reportAllBut(.custom)
        let entries = reader.custom(anyHeader: anyHeader)
        return try reader.finish(entries)
    }

    static let setsKey = "sets"
    private static let setsPath = [Section.parameters.rawValue, ConfigurationReader.setsKey]

    /// The files and directories that `[parameters] sets` names.
    private mutating func setPaths() -> [(path: String, element: Int)] {
        guard let value = self.table(.parameters)?[Self.setsKey]?.value else { return [] }
        guard case .array(let elements) = value else {
            self.report(Self.setsPath, "expected a list of files or directories, found \(value)")
            return []
        }
        var paths: [(String, Int)] = []
        for (index, element) in elements.enumerated() {
            guard case .text(let path) = element.value, path.hasPrefix("/") else {
                self.report(Self.setsPath, "expected absolute paths in quotes, found \(element.value)", element: index)
                continue
            }
            paths.append((path, index))
        }
        return paths
    }
}
