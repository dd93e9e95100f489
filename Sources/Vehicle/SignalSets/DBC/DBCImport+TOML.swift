// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

extension DBCImport {
    /// Returns the signals as TOML, with their origin.
    ///
    /// - Parameter isSelected: whether each signal gets an interval, and so is selected; else `[parameters]` selects.
    package func toml(source: String, isSelected: Bool) -> String {
        let head = """
            # Custom parameters for obd-agent, made from \(Printable.text(source))
            # by obd-agent parameters import. Name this file in [parameters] sets of the configuration. The frames are
            # received with [adapter] address = "can:can0" only: an adapter does not listen.

            """
        return ([head] + self.imported.map { $0.toml(isSelected: isSelected) }).joined(separator: "\n")
    }
}

extension DBCImport.Entry {
    func toml(isSelected: Bool) -> String {
        var lines = ["# \(Printable.text("\(self.frameName).\(self.signal.name)"))", "[custom.\(self.name)]"]
        func add(_ key: String, _ value: String?) {
            if let value { lines.append("\(key) = \(value)") }
        }
        add("frame", TOMLValue.quoted(self.frame.identifierText))
        add("multiplexor", self.frame.multiplex.map { TOMLValue.quoted($0.multiplexor.text) })
        add("multiplex_value", self.frame.multiplex.map { "\($0.value)" })
        add("formula", TOMLValue.quoted(self.formula))
        let labels = self.signal.enumeration
        add("unit", labels.isEmpty ? self.unit.map(TOMLValue.quoted) : nil)
        let (low, high) = self.signal.limits
        if labels.isEmpty, low < high, low.isFinite, high.isFinite {
            add("min", TOMLValue.number(low))
            add("max", TOMLValue.number(high))
        }
        add("labels", labels.isEmpty ? nil : TOMLValue.labels(labels))
        if isSelected { add("interval", "\(DBCImport.interval)") }
        return lines.joined(separator: "\n") + "\n"
    }
}
