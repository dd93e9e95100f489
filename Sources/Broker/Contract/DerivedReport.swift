// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The way in which the agent computes a derived parameter of the connected vehicle.
package struct DerivedReport: Encodable, Hashable, Sendable {
    /// The formula over the names of values.
    package var formula: String
    /// The names of the values behind the formula's names, sorted.
    package var sources: [String]
    /// The symbol of the unit; nil if there is none.
    package var unit: String?
    /// The assumptions that the figure depends on; nil if there are none.
    package var assumes: String?

    package init(formula: String, sources: [String], unit: String?, assumes: String?) {
        self.formula = formula
        self.sources = sources
        self.unit = unit
        self.assumes = assumes
    }
}
