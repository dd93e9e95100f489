// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

extension SignalSetImport {
    /// Returns a file for the configuration's `[parameters] sets`.
    ///
    /// - Parameters:
    ///   - source: the origin of the signals, for the comment at the top.
    ///   - repository: the name of the set's repository in the OBDb project; nil if it is unknown.
    ///   - remark: a sentence about the choice of the set; nil for none.
    ///   - isSelected: whether each signal gets a poll interval, and so is selected; else `[parameters]` selects.
    package func toml(
        source: String,
        repository: String? = nil,
        remark: String? = nil,
        isSelected: Bool
    ) -> String {
        let year = self.year.map { " for model year \($0)" } ?? ""
        let address = "https://github.com/OBDb" + (repository.map { "/\(Printable.text($0))" } ?? "")
        let remark = remark.map { "# \(Printable.text($0))\n" } ?? ""
        // The license asks for the authors, the license and a notice of changes.
        let head = """
            # Custom parameters for obd-agent, made from \(Printable.text(source))\(year)
            # by obd-agent parameters import. Name this file in [parameters] sets of the configuration.
            \(remark)#
            # The signals are the work of the OBDb contributors, \(address)
            # License: CC BY-SA 4.0, https://creativecommons.org/licenses/by-sa/4.0/
            # Changed: written as TOML; signals that cannot be polled are left out.

            """
        return ([head] + self.imported.map { $0.toml(isSelected: isSelected) }).joined(separator: "\n")
    }
}
