// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

/// A value that the agent computes from others.
package struct DerivedParameter: Hashable, Sendable {
    /// A way to compute the value.
    package struct Way: Hashable, Sendable {
        package let formula: Expression
        /// The numbers that the formula names, besides values.
        package let constants: [String: Double]
        /// The source of the fuel, whose constants the formula names; nil if it names none.
        package let fuel: FuelSource?
        /// The values that hardly change.
        package let slowNames: Set<String>
        /// The assumptions that the figure depends on; nil if there are none.
        package let assumes: String?
        /// The values that the formula and its constants need.
        package let sources: SourceSet

        package init(
            _ formula: Expression,
            constants: [String: Double] = [:],
            fuel: FuelSource? = nil,
            slowNames: Set<String> = [],
            assumes: String? = nil
        ) {
            self.formula = formula
            self.constants = constants
            self.fuel = fuel
            self.slowNames = slowNames
            self.assumes = assumes
            let fuelNames = fuel == nil ? [] : FuelConstant.allCases.map(\.rawValue)
            let names = formula.names.filter { constants[$0] == nil && !fuelNames.contains($0) }
            self.sources = SourceSet(
                names.filter { !slowNames.contains($0) },
                slow: names.filter(slowNames.contains) + (fuel.map { [$0.valueName] } ?? [])
            )
        }
    }

    /// The source of the kind of fuel.
    package enum FuelSource: Hashable, Sendable {
        /// PID 51.
        case type
        /// The ignition in PID 01: spark counts as gasoline and compression as diesel.
        case ignition
        /// The same sources, for formulas that hold only without an excess of air.
        case stoichiometricType, stoichiometricIgnition

        /// The name of the value that tells the fuel.
        var valueName: String {
            switch self {
            case .type, .stoichiometricType: "fuel_type"
            case .ignition, .stoichiometricIgnition: "monitor_status_compression"
            }
        }

        /// Returns the fuel; nil if the formula does not hold for it or it is unknown.
        func fuel(of value: Double) -> Fuel? {
            let fuel: Fuel?
            switch self {
            case .type, .stoichiometricType: fuel = Int(exactly: value).flatMap(Fuel.init(code:))
            case .ignition, .stoichiometricIgnition: fuel = value == 0 ? .gasoline : .diesel
            }
            switch self {
            case .type, .ignition: return fuel
            case .stoichiometricType, .stoichiometricIgnition:
                return fuel.flatMap { $0.burnsAtStoichiometry ? $0 : nil }
            }
        }
    }

    /// The names of a fuel's constants in formulas.
    package enum FuelConstant: String, CaseIterable, Sendable {
        case stoichiometricRatio = "stoichiometric_ratio"
        case density = "fuel_density"

        func value(of fuel: Fuel) -> Double {
            switch self {
            case .stoichiometricRatio: fuel.stoichiometricRatio
            case .density: fuel.density
            }
        }
    }

    /// The name, unit, range and resolution.
    package let field: Field
    /// The name for people.
    package let title: String?
    /// The ways to compute the value, the best first.
    package let ways: [Way]
    /// The age at which a source is too old; nil for the default.
    package let maximumAge: Duration?

    package init(_ field: Field, title: String? = nil, ways: [Way], maximumAge: Duration? = nil) {
        self.field = field
        self.title = title
        self.ways = ways
        self.maximumAge = maximumAge
    }

    /// The name, which is also the topic.
    package var name: String { self.field.name }
}

extension DerivedParameter {
    /// Compares what the user can configure; two fields of one name are two objects.
    package static func == (left: DerivedParameter, right: DerivedParameter) -> Bool {
        left.name == right.name && left.field.symbol == right.field.symbol
            && left.field.rangeOfValues == right.field.rangeOfValues && left.title == right.title
            && left.ways == right.ways && left.maximumAge == right.maximumAge
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(self.name) }
}
