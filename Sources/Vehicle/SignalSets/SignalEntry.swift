// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import OBD2

/// A signal as a table `[custom.NAME]` of the configuration.
package struct SignalEntry: Hashable, Sendable {
    package let name: String
    /// The signal's identifier in the set.
    package let identifier: String
    package let title: String?
    /// The place of the signal among the others, such as `Battery.Cells`, and the name of its group.
    let place: [String]
    let command: SignalCommand
    /// The ECU to ask; nil for all ECUs.
    package let destination: Destination?
    let format: SignalFormat
    /// The meaning of the signal that the agent understands; nil if it has none.
    let role: SignalRole?

    /// The header and the request, as in `7E4 220101`; a request to all ECUs has no header.
    package var request: String {
        (self.destination.map { "\($0.header) " } ?? "") + self.command.request
    }

    /// The request as the agent polls it.
    package var customRequest: CustomRequest? {
        try? CustomRequest(payload: self.command.payload, destination: self.destination)
    }

    /// The unit's symbol; nil for a signal without a unit.
    package var unit: String? { self.format.unit }

    /// The formula of the value, in the syntax of ``OBD2/Formula``.
    package var formula: String { self.format.formula }

    /// The role and, where the set tells them, the labels that stand for true; nil for a signal without a role.
    package var roleText: String? {
        guard let role = self.role else { return nil }
        let labels = (role.trueValues ?? []).sorted().compactMap { self.format.labels[$0] }
        return role.role.rawValue + (labels.isEmpty ? "" : ": \(labels.joined(separator: ", "))")
    }

    /// The poll interval that the set proposes, in seconds, limited to the configuration's 0.05 to 86,400.
    package var interval: Double { min(max(self.command.interval, 0.05), 86_400) }

    /// Returns the table as TOML.
    ///
    /// - Parameter isSelected: whether the table sets the poll interval, and so selects the parameter.
    package func toml(isSelected: Bool) -> String {
        var lines = self.place.isEmpty ? [] : ["# \(Printable.text(self.place.joined(separator: ", ")))"]
        lines.append("[custom.\(self.name)]")
        func add(_ key: String, _ value: String?) {
            if let value { lines.append("\(key) = \(value)") }
        }
        add("title", self.title.map { Self.quoted(String($0.prefix(128))) })
        add("request", Self.quoted(self.command.request))
        if let destination {
            add("header", Self.quoted("\(destination.header)"))
            add("receive", destination.responder.map { Self.quoted("\($0)") })
            if let address = destination.extendedAddress {
                add("extended_address", Self.quoted([address].hexadecimal))
                add("tester_address", Self.quoted([destination.testerAddress].hexadecimal))
            }
            add("flow_control", destination.setsFlowControl ? "true" : nil)
            add("timeout", destination.timeout.map { Self.number(Double($0.milliseconds) / 1000) })
        }
        add("formula", Self.quoted(self.formula))
        add("unit", self.unit.map(Self.quoted))
        add("min", self.format.lowest.map(Self.number))
        add("max", self.format.highest.map(Self.number))
        if !self.format.labels.isEmpty {
            let labels = self.format.labels.sorted { $0.key < $1.key }.map { "\($0.key) = \(Self.quoted($0.value))" }
            add("labels", "{ \(labels.joined(separator: ", ")) }")
        }
        add("role", self.role.map { Self.quoted($0.role.rawValue) })
        add("true_values", self.role?.trueValues.map { "\($0.sorted())" })
        if isSelected { add("interval", Self.number(self.interval)) }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns a number in TOML: an integer if that is exact, else a float.
    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    /// Returns a basic string of TOML, with its quotation marks.
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
