// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOML


/// Everything that is wrong with a configuration file, in the order of its lines.
package struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// One thing that is wrong, and what to do about it.
    package struct Problem: Equatable, Sendable, CustomStringConvertible {
        /// The file, as its name was given.
        package let file: String
        /// The line, from 1; none if the file itself is the problem.
        package let line: Int?
        /// The key: `[mqtt] url`, or `[mqtt]` for the table; none if the file itself is the problem.
        package let key: String?
        /// What is wrong and what to do.
        package let message: String
        /// What was probably meant.
        package let suggestion: String?

        init(file: String, line: Int? = nil, key: String? = nil, message: String, suggestion: String? = nil) {
            self.file = file
            self.line = line
            self.key = key
            self.message = message
            self.suggestion = suggestion
        }

        /// One line: `agent.toml:12: [mqtt] usernme: unknown key; did you mean username?`.
        package var description: String {
            let place = self.line.map { "\(self.file):\($0)" } ?? self.file
            let parts = [place, self.key, self.message].compactMap(\.self)
            return parts.joined(separator: ": ") + (self.suggestion.map { "; did you mean \($0)?" } ?? "")
        }
    }

    /// At least one.
    package let problems: [Problem]

    init(problems: [Problem]) {
        self.problems = problems
    }

    /// The error with a single problem.
    init(file: String, line: Int? = nil, key: String? = nil, message: String) {
        self.init(problems: [.init(file: file, line: line, key: key, message: message)])
    }

    /// The error that a text is not TOML.
    init(_ error: SyntaxError, file: String) {
        // No key of ours is deeper.
        let path = Array(error.path.prefix(4))
        let key = path.isEmpty ? nil : keyName(path)
        switch error.fault {
        case .tooLong:
            self.init(file: file, message: "larger than 1 MiB; name the agent's own configuration file")
        case .unquoted, .leadingZero, .tooGreat:
            // Most likely it is one without its quotes.
            let message = path == Key.adapterPIN.path ? "\(ValueError.invalidPIN)" : "\(error)"
            self.init(file: file, line: error.position.line, key: key, message: message)
        default:
            self.init(file: file, line: error.position.line, key: key, message: "\(error)")
        }
    }

    /// A line each.
    package var description: String {
        self.problems.map(\.description).joined(separator: "\n")
    }
}
