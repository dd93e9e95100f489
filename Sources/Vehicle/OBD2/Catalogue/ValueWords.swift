// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The title and the step of a published value, for screens.
package struct ValueWords: Hashable, Sendable {
    /// The value's name for people.
    package let title: String
    /// The steps of the value by the symbols of its units, metric and imperial.
    private let steps: [String: Double]

    /// Finds a value of the catalogue; a name that it does not have becomes a phrase.
    package init(_ name: String) {
        let supply = SupplyValue(rawValue: name)
        let parameter = Parameter.named(name)
        let own = parameter?.fields.first { $0.name == name }
        let signal = ParameterGroup.named(name)?.signals.first { $0.field.name == name }
        let isWhole = parameter?.fields.count == 1 && own != nil
        self.title = supply?.title ?? (isWhole ? parameter?.title : nil) ?? NamePhrase.phrase(name)
        self.steps = (supply?.field ?? own ?? signal?.field).map(Self.steps) ?? [:]
    }

    private static func steps(of field: Field) -> [String: Double] {
        var steps = [field.symbol ?? "": field.resolution]
        if let (one, unit) = field.imperial(1), let (zero, _) = field.imperial(0), steps[unit.symbol] == nil {
            steps[unit.symbol] = field.resolution * (one - zero).magnitude
        }
        return steps
    }

    /// Returns the step of the value in a unit; nil if the catalogue does not tell.
    package func step(in unit: String) -> Double? { self.steps[unit] }
}
