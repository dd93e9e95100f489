// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOML

/// All problems of a configuration, in the order of files and lines.
package struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A problem, with its place and its remedy.
    package struct Problem: Equatable, Sendable, CustomStringConvertible {
        /// The name of the file, as the caller gave it.
        package let file: String
        /// The line, from 1, or `nil` if the whole file is the problem.
        package let line: Int?
        /// The key, such as `[mqtt] url`, or `[mqtt]` for a table, or `nil` if the whole file is the problem.
        package let key: String?
        /// The problem and its remedy.
        package let message: String
        /// The value or the key that the user probably meant.
        package let suggestion: String?

        init(file: String, line: Int? = nil, key: String? = nil, message: String, suggestion: String? = nil) {
            self.file = file
            self.line = line
            self.key = key
            self.message = message
            self.suggestion = suggestion
        }

        /// The problem in one line: `agent.toml:12: [mqtt] usernme: unknown key; did you mean username?`.
        package var description: String {
            let place = self.line.map { "\(self.file):\($0)" } ?? self.file
            let parts = [place, self.key, self.message].compactMap(\.self)
            return parts.joined(separator: ": ") + (self.suggestion.map { "; did you mean \($0)?" } ?? "")
        }
    }

    /// The problems, at least one.
    package let problems: [Problem]

    init(problems: [Problem]) {
        self.problems = problems
    }

    /// Creates an error with a single problem.
    init(file: String, line: Int? = nil, key: String? = nil, message: String) {
        self.init(problems: [.init(file: file, line: line, key: key, message: message)])
    }

    /// Creates the error for a file that is not valid TOML.
    init(_ error: SyntaxError, file: String) {
        // No key of the configuration is deeper.
        let path = Array(error.path.prefix(4))
        let key = path.isEmpty ? nil : keyName(path)
        switch error.fault {
        case .tooLong:
            self.init(
                file: file,
                message: "larger than 1 MiB. Try: the path of a configuration; a set of parameters may be several files"
            )
        case .notAValue, .leadingZero, .outOfRange:
            // The value is probably a PIN without quotes, which must not be repeated in an error.
            let message = path == Key.adapterPIN.path ? "\(ValueError.invalidPIN)" : "\(error)"
            self.init(file: file, line: error.position.line, key: key, message: message)
        default:
            self.init(file: file, line: error.position.line, key: key, message: "\(error)")
        }
    }

    /// The problems, one per line.
    package var description: String {
        self.problems.map(\.description).joined(separator: "\n")
    }
}
