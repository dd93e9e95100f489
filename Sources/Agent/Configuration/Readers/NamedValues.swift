// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Drive
import OBD2
import TOML

/// The values that a formula or a condition may name, with their units.
struct NamedValues: Sendable {
    /// The fields of the custom parameters and of those that are known so far, by name.
    private var fields: [String: Field] = [:]
    /// The names of the derived parameters that are not known yet.
    private var pending: Set<String>
    /// Whether a vehicle may have values that no file names.
    private let isOpen: Bool

    /// - Parameters:
    ///   - derived: the names of all derived parameters.
    ///   - isOpen: whether the agent takes over the signal sets of models.
    init(_ custom: [CustomEntry], derived: some Sequence<String>, isOpen: Bool) {
        for entry in custom { self.fields[entry.parameter.name] = entry.parameter.field }
        self.pending = Set(derived)
        self.isOpen = isOpen
    }

    /// Takes over a derived parameter.
    mutating func add(_ field: Field) {
        self.fields[field.name] = field
        self.pending.remove(field.name)
    }

    /// Returns the unit of a value.
    func unit(of name: String) -> KnownUnit {
        if let field = self.fields[name] { return field.symbol.map { .symbol($0) } ?? .unknown }
        if self.pending.contains(name) { return .unknown }
        if let field = Self.builtIn[name] { return field.symbol.map { .symbol($0) } ?? .unknown }
        return ParameterRole(rawValue: name)?.units.first.map { .symbol($0) } ?? .unknown
    }

    /// Returns the reason why a name cannot stand in a formula, and the name that the user probably meant; nil if it can.
    func problem(of name: String) -> (message: String, suggestion: String?)? {
        if let field = self.fields[name] ?? Self.builtIn[name] {
            switch field.kind {
            case .number, .flag, .code: return nil
            case .text, .names: return ("\(name) is no number", nil)
            }
        }
        if self.pending.contains(name) || ParameterRole(rawValue: name) != nil { return nil }
        if let parameter = Parameter.named(name), parameter.name == name {
            let names = parameter.fields.map(\.name).joined(separator: ", ")
            return ("\(name) is no value. Try: \(names.isEmpty ? "another parameter" : names)", nil)
        }
        if self.isOpen { return nil }
        let known =
            Array(self.fields.keys) + Array(self.pending) + Array(Self.builtIn.keys)
            + ParameterRole.allCases.map(\.rawValue)
        return ("\(name) is no value", Spelling.closest(to: name, in: known.sorted()))
    }

    /// The values of the catalogue and of the 12 V supply, by name.
    private static let builtIn: [String: Field] = {
        let fields = Parameter.catalogue.flatMap(\.fields) + SupplyValue.allCases.map(\.field)
        return Dictionary(fields.map { ($0.name, $0) }) { first, _ in first }
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
