// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOML

/// The text of a configuration file, of which single keys change while every other line stays, comments included.
package struct ConfigurationText: Hashable, Sendable {
    /// The most lines that a value may have.
    private static let valueLimit = 500

    private var lines: [String]
    /// The settings that were changed, added or removed, in the order of the changes.
    package private(set) var changes: [String] = []

    package init(_ text: String) {
        self.lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        while self.lines.last == "" { self.lines.removeLast() }
    }

    /// The whole text, which ends with a line end.
    package var text: String { self.lines.joined(separator: "\n") + "\n" }

    /// Changes the keys of a connection: the adapter, the broker and the name of the vehicle.
    package mutating func adopt(_ connection: Connection) {
        if let name = connection.name { self.set(.vehicleName, to: name) }
        if let adapter = connection.adapter { self.set(.adapterAddress, to: adapter) }
        switch connection.broker {
        case .unchanged: break
        case .none:
            // Without a broker these have no effect, which is a mistake.
            for key in [Key.mqttURL, .mqttCAFile, .mqttCertificateFile, .mqttKeyFile] { self.set(key, to: nil) }
        case .url(let url): self.set(.mqttURL, to: url)
        }
        switch connection.user {
        case .unchanged: break
        case .none:
            self.set(.mqttUsername, to: nil)
            self.set(.mqttPasswordFile, to: nil)
        case .kept(let passwordFile):
            self.set(.mqttPasswordFile, to: passwordFile)
        case .named(let name, let passwordFile):
            self.set(.mqttUsername, to: name)
            self.set(.mqttPasswordFile, to: passwordFile)
        }
    }

    /// The keys without which no agent runs, or only by chance; nil leaves a key as it is.
    package struct Connection: Hashable, Sendable {
        package enum User: Hashable, Sendable {
            case unchanged, none
            /// The present user, with another password.
            case kept(passwordFile: String)
            case named(String, passwordFile: String?)
        }

        package enum Broker: Hashable, Sendable {
            case unchanged, none
            case url(String)
        }

        package var adapter: String?
        package var broker: Broker
        package var user: User
        package var name: String?

        package init(
            adapter: String? = nil,
            broker: Broker = .unchanged,
            user: User = .unchanged,
            name: String? = nil
        ) {
            self.adapter = adapter
            self.broker = broker
            self.user = user
            self.name = name
        }
    }

    // MARK: - Lines

    /// Sets a key to a text; nil switches it off with a `#`.
    private mutating func set(_ key: Key, to text: String?) {
        let section = key.path.dropLast().joined(separator: ".")
        let line = text.map { "\(key.name) = \(Self.quoted($0))" }
        let setting = line.map { "[\(section)] \($0)" }
        guard let header = self.lines.firstIndex(where: { Self.isHeader($0, of: section) }) else {
            guard let line, let setting else { return }
            self.lines += (self.lines.isEmpty ? [] : [""]) + ["[\(section)]", line]
            return self.changes.append(setting)
        }
        let body = (header + 1)..<(self.lines[(header + 1)...].firstIndex(where: Self.isAnyHeader) ?? self.lines.count)
        if let first = self.lines[body].firstIndex(where: { Self.isSetting($0, of: key.name) }) {
            let value = first..<self.end(ofValueAt: first, before: body.upperBound)
            guard Array(self.lines[value]) != [line] else { return }
            self.lines.replaceSubrange(value, with: line.map { [$0] } ?? self.lines[value].map { "#\($0)" })
            self.changes.append(setting ?? "remove [\(section)] \(key.name)")
        } else if let line, let setting {
            if let place = self.lines[body].firstIndex(where: { $0.hasPrefix("#\(key.name) =") }) {
                self.lines[place] = line
            } else {
                self.lines.insert(line, at: body.lowerBound)
            }
            self.changes.append(setting)
        }
    }

    /// Returns the index after the last line of a value, such as a list that goes over several lines.
    private func end(ofValueAt first: Int, before end: Int) -> Int {
        for last in first..<min(end, first + Self.valueLimit) {
            let text = self.lines[first...last].joined(separator: "\n")
            if (try? Document(Array(text.utf8))) != nil { return last + 1 }
        }
        return first + 1
    }

    private static func isHeader(_ line: String, of section: String) -> Bool {
        let rest = line.drop { $0 == " " || $0 == "\t" }
        guard rest.hasPrefix("[\(section)]") else { return false }
        let end = rest.dropFirst(section.utf8.count + 2).first { $0 != " " && $0 != "\t" && $0 != "\r" }
        return end == nil || end == "#"
    }

    private static func isAnyHeader(_ line: String) -> Bool {
        line.first { $0 != " " && $0 != "\t" } == "["
    }

    private static func isSetting(_ line: String, of name: String) -> Bool {
        let rest = line.drop { $0 == " " || $0 == "\t" }
        guard rest.hasPrefix(name) else { return false }
        return rest.dropFirst(name.count).first { $0 != " " && $0 != "\t" } == "="
    }

    /// Returns a text as a basic string of TOML.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
