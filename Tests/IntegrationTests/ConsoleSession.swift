// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// A session in a document: commands with their output.
///
/// A block of the kind `console` has commands after `$ `, each with its output below. In the output, `…` stands for
/// any text in a line. A line with nothing else stands for any number of lines.
struct ConsoleSession: Sendable {
    struct Step: Sendable {
        var command: String
        var expected: [String] = []
        /// The text after the block's kind.
        var label: String
    }

    private(set) var steps: [Step] = []
    /// The TOML blocks of the document.
    private(set) var configurations: [String] = []

    init(markdown: String) {
        var kind: Substring?
        var text: [Substring] = []
        for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("```") else {
                if kind != nil { text.append(line) }
                continue
            }
            if let ended = kind {
                self.append(text, kind: ended)
                kind = nil
            } else {
                (kind, text) = (line.dropFirst(3), [])
            }
        }
    }

    private mutating func append(_ lines: [Substring], kind: Substring) {
        let words = kind.split(separator: " ", maxSplits: 1)
        switch words.first {
        case "toml": self.configurations.append(lines.joined(separator: "\n") + "\n")
        case "console":
            let label = words.count > 1 ? String(words[1]) : ""
            for line in lines {
                if line.hasPrefix("$ ") {
                    self.steps.append(Step(command: String(line.dropFirst(2)), label: label))
                } else if !self.steps.isEmpty {
                    self.steps[self.steps.count - 1].expected.append(String(line))
                }
            }
        default: break
        }
    }

    /// Whether the lines match the output in a document.
    static func matches(_ lines: ArraySlice<String>, _ expected: ArraySlice<String>) -> Bool {
        guard let pattern = expected.first else { return lines.isEmpty }
        if pattern == "…" {
            let rest = expected.dropFirst()
            return (lines.startIndex...lines.endIndex).contains { Self.matches(lines[$0...], rest) }
        }
        guard let line = lines.first else { return false }
        return Self.matches(line: line, pattern) && Self.matches(lines.dropFirst(), expected.dropFirst())
    }

    private static func matches(line: String, _ pattern: String) -> Bool {
        let parts = pattern.split(separator: "…", omittingEmptySubsequences: false).map(String.init)
        guard let first = parts.first, let last = parts.last, parts.count > 1 else { return line == pattern }
        guard line.hasPrefix(first) else { return false }
        var rest = line.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }

    /// Runs commands in one shell, and returns what each printed, on standard output and standard error together.
    ///
    /// - Parameter environment: the whole environment of the shell.
    static func run(_ commands: [String], in folder: String, environment: [String: String]) async throws -> [[String]] {
        let mark = "=== \(UInt64.random(in: 0 ... .max)) ==="
        // The mark keeps the exit code of the command in $? for the next command.
        let script =
            "exec 2>&1\ncd '\(folder)'\n" + commands.map { "\($0)\n(c=$?; echo '\(mark)'; exit $c)\n" }.joined()
        let shell = try ChildProcess(
            Program("sh", debianPackage: "dash"),
            ["-c", script],
            environment: environment
        )
        return try await within("the session", limit: .seconds(180)) {
            var (outputs, output): ([[String]], [String]) = ([], [])
            for await line in shell.output {
                if line == mark {
                    outputs.append(output)
                    output = []
                } else {
                    output.append(line)
                }
            }
            return outputs
        }
    }
}
