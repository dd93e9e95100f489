// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Drive
import TOML

/// Reads the tables `[limit.NAME]`.
enum LimitReader {
    /// The keys of a table.
    private enum TableKey: String, CaseIterable {
        case when, clear, title
        case duration = "for"
        case maximumAge = "max_age"
    }

    /// Returns the limits, ordered by name.
    static func read(_ values: NamedValues, _ cursor: inout ConfigurationCursor) -> [LimitRule] {
        let tables = cursor.table(.limit)?.entries ?? []
        if tables.count > LimitRule.countLimit {
            cursor.report([Section.limit.rawValue], "more than \(LimitRule.countLimit) tables. Try: remove some")
        }
        return tables.prefix(LimitRule.countLimit).compactMap { entry -> LimitRule? in
            let path = [Section.limit.rawValue, entry.name]
            guard entry.value.table != nil else {
                cursor.report(path, "expected a table [limit.\(entry.name.quotedIfNeeded)], found \(entry.value)")
                return nil
            }
            guard CustomTableReader.isName(entry.name) else {
                cursor.report(path, CustomTableReader.nameRule)
                return nil
            }
            cursor.reportUnknownKeys(at: path, known: TableKey.allCases.map(\.rawValue))
            return Self.rule(entry.name, values, &cursor)
        }.sorted { $0.name < $1.name }
    }

    private static func path(_ name: String, _ key: TableKey) -> [String] {
        [Section.limit.rawValue, name, key.rawValue]
    }

    private static func rule(
        _ name: String,
        _ values: NamedValues,
        _ cursor: inout ConfigurationCursor
    ) -> LimitRule? {
        let countBefore = cursor.problemCount
        guard let text = cursor.text(at: Self.path(name, .when)) else {
            if !cursor.isSet(Self.path(name, .when)) {
                let message = "when is missing. Try: a condition such as when = \"coolant_temperature > 115\""
                cursor.report([Section.limit.rawValue, name], message)
            }
            return nil
        }
        guard let condition = Self.condition(text, at: Self.path(name, .when), values, &cursor) else { return nil }
        let clearing = Self.clearing(name, condition, values, &cursor)
        let duration = cursor.seconds(at: Self.path(name, .duration), in: 0...86_400) ?? .zero
        let age = cursor.seconds(at: Self.path(name, .maximumAge), in: 1...86_400)
        let title = cursor.text(at: Self.path(name, .title))
        guard cursor.problemCount == countBefore else { return nil }
        return LimitRule(
            name,
            title: title,
            when: condition,
            clear: clearing,
            for: duration,
            maximumAge: age ?? LimitRule.usualAge
        )
    }

    /// Returns the condition for the end: a text, or a threshold for the value that `when` compares with a number.
    private static func clearing(
        _ name: String,
        _ condition: Condition,
        _ values: NamedValues,
        _ cursor: inout ConfigurationCursor
    ) -> Condition? {
        let path = Self.path(name, .clear)
        switch cursor.value(at: path) {
        case nil, .text(""): return nil
        case .text(let text):
            guard let clearing = Self.condition(text, at: path, values, &cursor) else { return nil }
            guard !clearing.overlaps(condition) else {
                let message = "may hold while when holds too, so the limit would begin and end at once"
                cursor.report(path, message + ". Try: a range that when leaves out")
                return nil
            }
            return clearing
        case .some:
            guard let threshold = cursor.number(at: path) else { return nil }
            do throws(ThresholdError) {
                return try condition.cleared(at: threshold)
            } catch {
                cursor.report(path, error.description)
                return nil
            }
        }
    }

    static func condition(
        _ text: String,
        at path: [String],
        _ values: NamedValues,
        _ cursor: inout ConfigurationCursor
    ) -> Condition? {
        let condition: Condition
        do throws(ExpressionError) {
            condition = try Condition(text)
        } catch {
            cursor.report(path, error.description)
            return nil
        }
        let problems = values.problems(of: condition)
        for (message, suggestion) in problems { cursor.report(path, message, suggestion: suggestion) }
        return problems.isEmpty ? condition : nil
    }
}
