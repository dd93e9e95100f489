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
        add("title", self.title.map { TOMLValue.quoted(String($0.prefix(128))) })
        add("request", TOMLValue.quoted(self.command.request))
        if let destination {
            add("header", TOMLValue.quoted("\(destination.header)"))
            add("receive", destination.responder.map { TOMLValue.quoted("\($0)") })
            if let address = destination.extendedAddress {
                add("extended_address", TOMLValue.quoted([address].hexadecimal))
                add("tester_address", TOMLValue.quoted([destination.testerAddress].hexadecimal))
            }
            add("flow_control", destination.setsFlowControl ? "true" : nil)
            add("timeout", destination.timeout.map { TOMLValue.number(Double($0.milliseconds) / 1000) })
        }
        add("formula", TOMLValue.quoted(self.formula))
        add("unit", self.unit.map(TOMLValue.quoted))
        add("min", self.format.lowest.map(TOMLValue.number))
        add("max", self.format.highest.map(TOMLValue.number))
        if !self.format.labels.isEmpty {
            add("labels", TOMLValue.labels(self.format.labels))
        }
        add("role", self.role.map { TOMLValue.quoted($0.role.rawValue) })
        add("true_values", self.role?.trueValues.map { "\($0.sorted())" })
        if isSelected { add("interval", TOMLValue.number(self.interval)) }
        return lines.joined(separator: "\n") + "\n"
    }
}
