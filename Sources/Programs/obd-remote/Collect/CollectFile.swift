// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import Configuration
import EventLoop
import TOML

/// The configuration file of `obd-remote collect`.
///
/// A mistake ends the command; the error names the file, the line and the key.
struct CollectFile {
    /// A value, and the place from which it comes.
    struct Value {
        var text: String
        /// `collect.toml:12: keep`, or the name of an option.
        var place: String
    }

    /// The place of the credentials of `obd-collect.service` for a process that systemd has not started.
    private static let credentials = "/run/credentials/obd-collect.service"

    /// The path; nil without a file.
    let path: String?
    private var values: [CollectKey: Value] = [:]

    /// Reads a file, and checks its keys and the types of its values.
    ///
    /// An empty text counts as not set.
    init(_ path: String) throws {
        self.path = path
        let document: Document
        do {
            document = try Document(try SourceFile.contents(of: path))
        } catch let error as SyntaxError {
            throw CommandFailure(
                .configuration,
                "\(path):\(error.position.line): \(error)",
                next: "KEY = \"VALUE\", as in the sample collect.toml."
            )
        } catch let error as ConfigurationError {
            throw CommandFailure(.configuration, lines: error.problems.map(\.description))
        }
        var problems: [String] = []
        for entry in document.root.entries {
            let place = "\(path):\(entry.position.line): \(entry.name.quotedIfNeeded)"
            guard let key = CollectKey(rawValue: entry.name) else {
                let known = CollectKey.allCases.map(\.rawValue)
                let advice = Spelling.closest(to: entry.name, in: known).map { "; did you mean \($0)?" }
                let isTable = entry.value.table != nil
                problems.append("\(place): unknown \(isTable ? "table" : "key")\(advice ?? "")")
                problems.append(
                    isTable
                        ? "Try: the keys without a table; this file has none."
                        : "Try: the keys of the sample collect.toml, or man obd-collect.service."
                )
                continue
            }
            guard case .text(let text) = entry.value else {
                problems.append("\(place): expected a text in quotes, found \(entry.value)")
                problems.append("Try: \(key.rawValue) = \(key.example.quoted)")
                continue
            }
            if !text.isEmpty { self.values[key] = Value(text: text, place: place) }
        }
        guard problems.isEmpty else { throw CommandFailure(.configuration, lines: problems) }
    }

    /// An empty file.
    init() {
        self.path = nil
    }

    /// Returns the value of a key; `option` and the environment take precedence.
    func value(_ key: CollectKey, _ option: String?) throws -> Value? {
        if let option { return Value(text: option, place: key.option) }
        if key.hasVariable, let value = OptionValue(nil, of: key.option) {
            return Value(text: value.text, place: value.name)
        }
        guard var value = self.values[key] else { return nil }
        if key.isFile { value.text = try Self.path(value) }
        return value
    }

    /// Returns the path of a file, or of a credential of systemd.
    private static func path(_ value: Value) throws -> String {
        let start = "credential:"
        guard value.text.hasPrefix(start) else {
            guard value.text.hasPrefix("/") else {
                throw CommandFailure(
                    .configuration,
                    "\(value.place): expected the absolute path of a file, or credential:NAME",
                    next: "the path from the root folder on, such as /etc/obd-remote/NAME."
                )
            }
            return value.text
        }
        let name = String(value.text.dropFirst(start.count))
        let isName = !name.isEmpty && name.utf8.count <= 64 && !name.contains("/") && !name.hasPrefix(".")
        let path = (environmentVariable("CREDENTIALS_DIRECTORY") ?? Self.credentials) + "/" + name
        guard isName, TextFile.isRegular(path) else {
            throw CommandFailure(
                .configuration,
                "\(value.place): there is no credential \(name.quoted)",
                next: "write it to /etc/credstore/obd-collect.\(isName ? name : "NAME"), and restart obd-collect."
            )
        }
        return path
    }
}

extension CollectFile.Value {
    /// Returns what `parse` makes of the text.
    ///
    /// - Parameter expected: the valid form, for the error.
    /// - Parameter next: the next step, for the error.
    func parsed<Result>(_ expected: String, next: String, _ parse: (String) -> Result?) throws -> Result {
        guard let result = parse(self.text) else {
            throw self.failure("\(self.text.quoted) is not \(expected)", next: next)
        }
        return result
    }

    /// Whether the value is an option of the command line.
    var isOption: Bool { self.place.hasPrefix("--") }
    /// Whether the value is of the environment, which other programs use too.
    var isOfEnvironment: Bool { self.place.hasPrefix("OBD_AGENT_") }

    /// Returns the failure of this value.
    func failure(_ problem: String, next: String? = nil) -> CommandFailure {
        CommandFailure(self.isOption ? .usage : .configuration, "\(self.place): \(problem)", next: next)
    }

    /// Returns the failure of the file that this value names: a mistake of the machine, not of the command line.
    func fileFailure(_ problem: String, next: String) -> CommandFailure {
        CommandFailure(.configuration, "\(self.place): \(problem)", next: next)
    }
}
