// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import OBD2

/// Computes the derived parameters of the connected vehicle from the newest readings.
///
/// A parameter is computed once all its sources are newer than its last value, or twice its interval has passed. So the
/// sources of one value belong to one time, and no source that fails holds the value up.
package struct DerivedComputation: Sendable {
    /// The age at which a source that is polled often is too old, or thrice the interval if that is more.
    package static let defaultAge = Duration.seconds(10)
    /// The age at which a source that hardly changes is too old.
    static let slowAge = Duration.seconds(600)

    /// The parameters, each behind those that it is computed from.
    private let parameters: [DerivedParameter]
    /// The parameters that need a value, as indices, by the name of the value.
    private var needing: [String: [Int]] = [:]
    private var derivations: [String: Derivation] = [:]
    private var newest = NewestReadings()
    /// The times at which the parameters were last computed, by name.
    private var computed: [String: MonotonicTime] = [:]

    /// - Parameter parameters: the parameters, each behind those that it is computed from.
    package init(_ parameters: [DerivedParameter]) {
        self.parameters = parameters
    }

    /// The vehicle supports these ways to compute the parameters, by their names.
    package mutating func derivationsChanged(to derivations: [String: Derivation]) {
        guard derivations != self.derivations else { return }
        self.derivations = derivations
        self.needing = [:]
        for (index, parameter) in self.parameters.enumerated() {
            guard let derivation = derivations[parameter.name], derivation.interval != nil else { continue }
            for value in Set(derivation.values.values) { self.needing[value, default: []].append(index) }
        }
    }

    /// Another vehicle follows.
    package mutating func vehicleChanged() {
        self.newest.clear()
        self.computed = [:]
        self.derivationsChanged(to: [:])
    }

    /// Takes over readings, and returns the values that are computed from them.
    package mutating func receive(_ readings: [Reading]) -> [Reading] {
        let wanted = readings.filter { self.needing[$0.name] != nil }
        guard let now = wanted.map(\.time).max() else { return [] }
        self.newest.receive(wanted)
        var values: [Reading] = []
        var due = Set(wanted.flatMap { self.needing[$0.name] ?? [] })
        for (index, parameter) in self.parameters.enumerated() where due.contains(index) {
            guard let value = self.value(of: parameter, at: now) else { continue }
            self.computed[parameter.name] = now
            let reading = Reading(parameter.name, value, parameter.field.symbol, at: now)
            values.append(reading)
            guard let others = self.needing[parameter.name] else { continue }
            self.newest.receive([reading])
            due.formUnion(others)
        }
        return values
    }

    private func value(of parameter: DerivedParameter, at now: MonotonicTime) -> Double? {
        guard let derivation = self.derivations[parameter.name], let interval = derivation.interval,
            parameter.ways.indices.contains(derivation.way)
        else { return nil }
        let way = parameter.ways[derivation.way]
        let sources = way.sources
        let age = parameter.maximumAge ?? max(Self.defaultAge, interval * 3)
        var values: [String: Double] = way.constants
        var oldest = now
        for name in sources.names {
            guard let reading = self.reading(name, derivation, at: now, age) else { return nil }
            values[name] = Self.value(of: reading, for: name)
            oldest = min(oldest, reading.time)
        }
        for name in sources.slowNames {
            guard let reading = self.reading(name, derivation, at: now, max(age, Self.slowAge)) else { return nil }
            values[name] = Self.value(of: reading, for: name)
        }
        if let last = self.computed[parameter.name] {
            let isDue = now - last >= interval * 0.8 && (oldest > last || now - last >= interval * 2)
            guard isDue else { return nil }
        }
        if let source = way.fuel {
            guard let fuel = values[source.valueName].flatMap(source.fuel) else { return nil }
            for constant in DerivedParameter.FuelConstant.allCases {
                values[constant.rawValue] = constant.value(of: fuel)
            }
        }
        guard let value = way.formula.evaluate({ values[$0] }), parameter.field.rangeOfValues.contains(value) else {
            return nil
        }
        return value
    }

    private func reading(
        _ name: String,
        _ derivation: Derivation,
        at now: MonotonicTime,
        _ age: Duration
    ) -> Reading? {
        derivation.values[name].flatMap { self.newest.reading($0, at: now, maximumAge: age) }
    }

    /// Returns the value in the usual unit of the role that a formula names; otherwise in its own.
    static func value(of reading: Reading, for name: String) -> Double {
        guard let role = ParameterRole(rawValue: name), reading.name != name else { return reading.value }
        return role.usual(reading.value, reading.unit)
    }
}
