// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import TOML

/// Reads the keys of a table `[custom.NAME]` that describe how the reply becomes a value.
enum CustomFieldReader {
    static func read(_ table: CustomTable, _ cursor: inout ConfigurationCursor) -> Field? {
        guard let text = cursor.text(at: table.path(.formula)) else {
            let advice = "a formula of the reply's bytes, such as formula = \"A*256+B\""
            cursor.reportIfMissing(.formula, in: table, advice)
            return nil
        }
        let unit = cursor.text(at: table.path(.unit))
        let lowest = Self.number(.min, of: table, &cursor) ?? -.infinity
        let highest = Self.number(.max, of: table, &cursor) ?? .infinity
        let labels = Self.labels(of: table, &cursor)
        let role = CustomRoleReader.role(of: table, &cursor)
        let trueValues = CustomRoleReader.trueValues(of: table, role, &cursor)
        if let role {
            CustomRoleReader.check(role, unit: unit, hasLabels: !labels.isEmpty, of: table, &cursor)
        }
        guard lowest < highest else {
            cursor.report(table.path(.max), "must be greater than min")
            return nil
        }
        if let unit, unit.utf8.count > 24 {
            cursor.report(table.path(.unit), "has \(unit.utf8.count) bytes (limit: 24)")
        }
        do {
            let formula = try Formula(text)
            return Field(
                custom: table.name,
                formula,
                symbol: unit,
                range: lowest...highest,
                labels: labels,
                role: role,
                trueValues: trueValues
            )
        } catch {
            cursor.report(table.path(.formula), error.description)
            return nil
        }
    }

    private static func labels(of table: CustomTable, _ cursor: inout ConfigurationCursor) -> [Int: String] {
        let path = table.path(.labels)
        guard let value = cursor.value(at: path) else { return [:] }
        guard let entries = value.table?.entries, entries.count <= 256 else {
            cursor.report(path, "expected a table of at most 256 labels such as { 0 = \"off\", 1 = \"on\" }")
            return [:]
        }
        var labels: [Int: String] = [:]
        for label in entries {
            guard let number = Int(label.name), case .text(let text) = label.value, text.utf8.count <= 64 else {
                cursor.report(path, "expected integers with texts of at most 64 bytes, such as { 0 = \"off\" }")
                continue
            }
            labels[number] = text
        }
        return labels
    }

    private static func number(
        _ key: CustomKey,
        of table: CustomTable,
        _ cursor: inout ConfigurationCursor
    ) -> Double? {
        let path = table.path(key)
        switch cursor.value(at: path) {
        case nil: return nil
        case .integer(let value): return Double(value)
        case .number(let value) where value.isFinite: return value
        case .some(let value):
            cursor.report(path, "expected a number, found \(value)")
            return nil
        }
    }
}
