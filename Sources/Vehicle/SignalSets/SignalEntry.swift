// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

/// A signal as a table `[custom.NAME]` of the configuration.
package struct SignalEntry: Hashable, Sendable {
    package let name: String
    package let title: String?
    let command: SignalCommand
    let format: SignalFormat

    /// `7E4 220101`, or the request alone where everybody is asked.
    package var request: String {
        (self.command.header.map { "\($0) " } ?? "") + self.command.request
    }

    /// The unit's symbol; nil for what is no quantity.
    package var unit: String? { self.format.unit }

    /// The formula of its value.
    package var formula: String { self.format.formula }

    /// The seconds between two readings that the set proposes, within what the configuration takes.
    package var interval: Double { min(max(self.command.interval, 0.05), 86_400) }

    /// The table as TOML.
    ///
    /// - Parameter isSelected: whether it says by itself how often it is read.
    package func toml(isSelected: Bool) -> String {
        var lines = ["[custom.\(self.name)]"]
        func add(_ key: String, _ value: String?) {
            if let value { lines.append("\(key) = \(value)") }
        }
        add("title", self.title.map { Self.quoted(String($0.prefix(128))) })
        add("request", Self.quoted(self.command.request))
        add("header", self.command.header.map(Self.quoted))
        add("receive", self.command.receive.map(Self.quoted))
        add("extended_address", self.command.extendedAddress.map(Self.quoted))
        add("tester_address", self.command.testerAddress.map(Self.quoted))
        if self.command.header != nil {
            add("flow_control", self.command.setsFlowControl ? "true" : nil)
            add("timeout", self.command.wait.map { Self.number(Double(max(1, $0) * 4096 / 1000) / 1000) })
        }
        add("formula", Self.quoted(self.formula))
        add("unit", self.unit.map(Self.quoted))
        add("min", self.format.lowest.map(Self.number))
        add("max", self.format.highest.map(Self.number))
        if !self.format.labels.isEmpty {
            let labels = self.format.labels.sorted { $0.key < $1.key }.map { "\($0.key) = \(Self.quoted($0.value))" }
            add("labels", "{ \(labels.joined(separator: ", ")) }")
        }
        if isSelected { add("interval", Self.number(self.interval)) }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A number of TOML: a whole one where that holds it.
    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    /// A basic string of TOML.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in Printable.text(text).unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
