// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import TOML

/// Reads the keys of a table `[custom.NAME]` that tell the agent what the value means.
enum CustomRoleReader {
    /// The most numbers that can stand for true.
    private static let trueValueLimit = 256

    /// Returns the role; nil if there is none.
    static func role(of table: CustomTable, _ cursor: inout ConfigurationCursor) -> ParameterRole? {
        guard let text = cursor.text(at: table.path(.role)) else { return nil }
        guard let role = ParameterRole(rawValue: text) else {
            let error = ValueError.unknownWord(text, known: ParameterRole.allCases.map(\.rawValue))
            cursor.report(table.path(.role), error.description, suggestion: error.suggestion)
            return nil
        }
        return role
    }

    /// Returns the numbers that stand for true; nil if the table does not name them.
    static func trueValues(
        of table: CustomTable,
        _ role: ParameterRole?,
        _ cursor: inout ConfigurationCursor
    ) -> Set<Int>? {
        let path = table.path(.trueValues)
        guard let value = cursor.value(at: path) else { return nil }
        guard role?.isTruth == true else {
            // A wrong role is reported already.
            guard role != nil || cursor.value(at: table.path(.role)) == nil else { return nil }
            let roles = Self.alternatives(ParameterRole.allCases.filter(\.isTruth).map { $0.rawValue.quoted })
            cursor.report(path, "has no effect without a role that is true or false. Try: role = \(roles)")
            return nil
        }
        guard case .array(let elements) = value, 1...Self.trueValueLimit ~= elements.count else {
            cursor.report(path, "expected a list of 1 to \(Self.trueValueLimit) integers, found \(value)")
            return nil
        }
        var numbers: Set<Int> = []
        for (index, element) in elements.enumerated() {
            guard case .integer(let integer) = element.value, let number = Int(exactly: integer) else {
                cursor.report(path, "expected an integer, found \(element.value)", element: index)
                continue
            }
            numbers.insert(number)
        }
        return numbers
    }

    /// Reports a unit or labels that the role does not allow.
    static func check(
        _ role: ParameterRole,
        unit: String?,
        hasLabels: Bool,
        of table: CustomTable,
        _ cursor: inout ConfigurationCursor
    ) {
        let name = role.rawValue
        if !role.allows(unit) {
            let units = Self.alternatives(role.units.map(\.quoted))
            if role.isTruth {
                cursor.report(table.path(.unit), "the role \(name) is true or false. Try: remove unit")
            } else if let unit {
                cursor.report(table.path(.unit), "\(unit.quoted) does not fit the role \(name). Try: \(units)")
            } else {
                cursor.report(table.path(.role), "the role \(name) needs a unit. Try: unit = \(units)")
            }
        }
        if hasLabels, !role.isTruth {
            cursor.report(table.path(.labels), "the role \(name) is a number. Try: remove labels")
        }
    }

    /// Returns the words as alternatives: `"km/h", "mph" or "m/s"`.
    private static func alternatives(_ words: [String]) -> String {
        let first = words.dropLast().joined(separator: ", ")
        return (first.isEmpty ? "" : first + " or ") + (words.last ?? "")
    }
}
