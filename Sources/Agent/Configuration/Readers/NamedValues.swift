// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import Drive
import OBD2
import TOML

/// The values that a formula or a condition may name, with their units.
package struct NamedValues: Hashable, Sendable {
    /// The facts of a value that decide where its name may stand.
    private struct Value: Hashable, Sendable {
        var unit: KnownUnit
        var isNumber: Bool

        init(_ field: Field) {
            self.unit = field.symbol.map { .symbol($0) } ?? .unknown
            self.isNumber =
                switch field.kind {
                case .number, .flag, .code: true
                case .text, .names: false
                }
        }
    }

    /// The custom parameters, and those that are known so far, by name.
    private var values: [String: Value] = [:]
    /// The names of the derived parameters that are not known yet.
    private var pending: Set<String>
    /// Whether a vehicle may have values that no file names.
    private let isOpen: Bool

    /// - Parameters:
    ///   - derived: the names of all derived parameters.
    ///   - isOpen: whether the agent takes over the signal sets of models.
    init(_ custom: [CustomEntry], derived: some Sequence<String>, isOpen: Bool) {
        for entry in custom { self.values[entry.parameter.name] = Value(entry.parameter.field) }
        self.pending = Set(derived)
        self.isOpen = isOpen
    }

    /// Takes over a derived parameter.
    mutating func add(_ field: Field) {
        self.values[field.name] = Value(field)
        self.pending.remove(field.name)
    }

    /// Returns the unit of a value.
    func unit(of name: String) -> KnownUnit {
        if let value = self.values[name] { return value.unit }
        if self.pending.contains(name) { return .unknown }
        if let value = Self.builtIn[name] { return value.unit }
        return ParameterRole(rawValue: name)?.units.first.map { .symbol($0) } ?? .unknown
    }

    /// Returns the reason why a name cannot stand in a formula, and the name that the user probably meant; nil if it can.
    func problem(of name: String) -> (message: String, suggestion: String?)? {
        if let value = self.values[name] ?? Self.builtIn[name] {
            return value.isNumber ? nil : ("\(name) is no number", nil)
        }
        if self.pending.contains(name) || ParameterRole(rawValue: name) != nil { return nil }
        if let parameter = Parameter.named(name), parameter.name == name {
            let names = parameter.fields.map(\.name).joined(separator: ", ")
            return ("\(name) is no value. Try: \(names.isEmpty ? "another parameter" : names)", nil)
        }
        if self.isOpen { return nil }
        let known = Set(self.values.keys).union(self.pending).union(Self.builtIn.keys)
            .union(ParameterRole.allCases.map(\.rawValue)).sorted()
        if let suggestion = Spelling.closest(to: name, in: known) { return ("\(name) is no value", suggestion) }
        let longer = known.filter { "_\($0)_".contains("_\(name)_") }
        let advice =
            1...Self.adviceLimit ~= longer.count
            ? longer.joined(separator: ", ") : "a name that obd-agent parameters list shows"
        return ("\(name) is no value. Try: \(advice)", nil)
    }

    /// The most names that an error lists.
    private static let adviceLimit = 6

    /// Returns the reasons why a condition cannot be judged, and the names that the user probably meant; none if it can.
    package func problems(of condition: Condition) -> [(message: String, suggestion: String?)] {
        let problems = condition.names.compactMap { self.problem(of: $0) }
        guard problems.isEmpty else { return problems }
        do throws(ExpressionError) { try condition.checkUnits(self.unit) } catch { return [(error.description, nil)] }
        return []
    }

    /// The values of the catalogue and of the 12 V supply, by name.
    private static let builtIn: [String: Value] = {
        let fields = Parameter.catalogue.flatMap(\.fields) + SupplyValue.allCases.map(\.field)
        return Dictionary(fields.map { ($0.name, Value($0)) }) { first, _ in first }
    }()
}

extension ConfigurationCursor {
    /// Reports each name in a formula or a condition that cannot stand there.
    ///
    /// - Returns: whether there is none.
    mutating func check(_ names: [String], at path: [String], _ values: NamedValues) -> Bool {
        var isRight = true
        for name in names {
            guard let (message, suggestion) = values.problem(of: name) else { continue }
            self.report(path, message, suggestion: suggestion)
            isRight = false
        }
        return isRight
    }

    /// Reports the keys of a table that are not among the known ones.
    mutating func reportUnknownKeys(at path: [String], known: [String]) {
        for key in (self.value(at: path)?.table?.entries ?? []).map(\.name) where !known.contains(key) {
            self.report(path + [key], "unknown key", suggestion: Spelling.closest(to: key, in: known))
        }
    }
}
