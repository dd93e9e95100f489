// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Drive
import OBD2
import TOML

/// A derived parameter, and its poll interval if `[parameters]` gives none.
struct DerivedEntry: Sendable {
    let parameter: DerivedParameter
    let interval: Duration?
}

/// Reads the tables `[derived.NAME]`.
enum DerivedReader {
    /// The keys of a table.
    private enum TableKey: String, CaseIterable {
        case formula, unit, title, min, max, interval
        case maximumAge = "max_age"
    }

    /// The largest number of tables.
    private static let countLimit = 64
    /// The largest depth of derived parameters that are computed from others.
    private static let depthLimit = 6

    /// A table whose formula is parsed.
    private struct Draft {
        let name: String
        let formula: Expression
    }

    /// Returns the derived parameters that may be selected, each behind those that it is computed from.
    ///
    /// A table replaces the ready parameter of the same name, and so does a custom parameter.
    static func read(
        _ custom: [CustomEntry],
        _ engine: EngineFacts,
        isOpen: Bool,
        _ cursor: inout ConfigurationCursor
    ) -> (entries: [DerivedEntry], values: NamedValues) {
        let drafts = Self.drafts(custom, &cursor)
        let taken = Set(custom.map(\.parameter.name)).union(drafts.map(\.name))
        let ready = DerivedParameter.ready(engine).filter { !taken.contains($0.name) }
        var values = NamedValues(custom, derived: drafts.map(\.name) + ready.map(\.name), isOpen: isOpen)
        for parameter in ready { values.add(parameter.field) }
        var needs = Dictionary(ready.map { ($0.name, Set($0.ways.flatMap(\.sources.allNames))) }) { first, _ in first }
        for draft in drafts { needs[draft.name] = Set(draft.formula.names) }
        var entries = Dictionary(
            ready.map { ($0.name, DerivedEntry(parameter: $0, interval: nil)) },
            uniquingKeysWith: { first, _ in first }
        )
        let byName = Dictionary(drafts.map { ($0.name, $0) }) { first, _ in first }
        var ordered: [DerivedEntry] = []
        for name in Self.order(needs, &cursor) {
            if let draft = byName[name] {
                guard let entry = Self.entry(draft, &values, &cursor) else { continue }
                entries[name] = entry
            }
            if let entry = entries[name] { ordered.append(entry) }
        }
        return (ordered, values)
    }

    private static func path(_ name: String, _ key: TableKey? = nil) -> [String] {
        [Section.derived.rawValue, name] + (key.map { [$0.rawValue] } ?? [])
    }

    private static func drafts(_ custom: [CustomEntry], _ cursor: inout ConfigurationCursor) -> [Draft] {
        let tables = cursor.table(.derived)?.entries ?? []
        if tables.count > Self.countLimit {
            cursor.report([Section.derived.rawValue], "more than \(Self.countLimit) tables. Try: remove some")
        }
        return tables.prefix(Self.countLimit).compactMap { entry -> Draft? in
            let path = Self.path(entry.name)
            guard entry.value.table != nil else {
                cursor.report(path, "expected a table [derived.\(entry.name.quotedIfNeeded)], found \(entry.value)")
                return nil
            }
            if let problem = CustomTableReader.problem(ofName: entry.name) ?? Self.problem(of: entry.name, custom) {
                cursor.report(path, problem)
                return nil
            }
            cursor.reportUnknownKeys(at: path, known: TableKey.allCases.map(\.rawValue))
            guard let text = cursor.text(at: Self.path(entry.name, .formula)) else {
                if !cursor.isSet(Self.path(entry.name, .formula)) {
                    let advice = "a formula of values, such as formula = \"fuel_rate / vehicle_speed * 100\""
                    cursor.report(path, "formula is missing. Try: \(advice)")
                }
                return nil
            }
            do throws(ExpressionError) {
                return Draft(name: entry.name, formula: try Expression(text))
            } catch {
                cursor.report(Self.path(entry.name, .formula), error.description)
                return nil
            }
        }
    }

    private static func problem(of name: String, _ custom: [CustomEntry]) -> String? {
        if let entry = custom.first(where: { $0.parameter.name == name }) {
            return "a custom parameter in \(entry.file) on line \(entry.line) has this name. Try: another name"
        }
        return Expression.reservedWords.contains(name) ? "formulas have this word. Try: another name" : nil
    }

    // MARK: - The order

    /// Returns the names, each behind those that it needs, and reports each that needs itself.
    private static func order(_ needs: [String: Set<String>], _ cursor: inout ConfigurationCursor) -> [String] {
        var ordered: [String] = []
        var depths: [String: Int?] = [:]
        for name in needs.keys.sorted() {
            _ = Self.visit(name, [], needs, &depths, &ordered, &cursor)
        }
        return ordered
    }

    /// Appends a name behind those that it needs.
    ///
    /// - Returns: its depth; nil if it was reported.
    private static func visit(
        _ name: String,
        _ open: [String],
        _ needs: [String: Set<String>],
        _ depths: inout [String: Int?],
        _ ordered: inout [String],
        _ cursor: inout ConfigurationCursor
    ) -> Int? {
        if let depth = depths[name] { return depth }
        let path = Self.path(name, .formula)
        if let start = open.firstIndex(of: name) {
            let circle = (open[start...] + [name]).joined(separator: ", ")
            cursor.report(path, "needs itself: \(circle). Try: a formula of values that are read")
            return nil
        }
        var depth = 0
        for need in (needs[name] ?? []).sorted() where needs[need] != nil {
            guard let below = Self.visit(need, open + [name], needs, &depths, &ordered, &cursor) else {
                // All that need a wrong formula share its report.
                depths[name] = .some(nil)
                return nil
            }
            depth = max(depth, below + 1)
        }
        guard depth <= Self.depthLimit else {
            cursor.report(path, "needs more than \(Self.depthLimit) formulas behind one another. Try: a longer formula")
            depths[name] = .some(nil)
            return nil
        }
        depths[name] = depth
        ordered.append(name)
        return depth
    }

    // MARK: - A table

    private static func entry(
        _ draft: Draft,
        _ values: inout NamedValues,
        _ cursor: inout ConfigurationCursor
    ) -> DerivedEntry? {
        let countBefore = cursor.problemCount
        let name = draft.name
        let unit = Self.unit(draft, values, &cursor)
        let lowest = cursor.number(at: Self.path(name, .min)) ?? -.infinity
        let highest = cursor.number(at: Self.path(name, .max)) ?? .infinity
        let title = cursor.text(at: Self.path(name, .title))
        let age = cursor.seconds(at: Self.path(name, .maximumAge), in: 0.1...86_400)
        let interval = cursor.seconds(at: Self.path(name, .interval), in: Configuration.intervals)
        if lowest >= highest { cursor.report(Self.path(name, .max), "must be greater than min") }
        guard cursor.problemCount == countBefore else { return nil }
        let field = Field(derived: name, symbol: unit, range: lowest...highest)
        values.add(field)
        let parameter = DerivedParameter(
            field,
            title: title,
            ways: [DerivedParameter.Way(draft.formula)],
            maximumAge: age
        )
        return DerivedEntry(parameter: parameter, interval: interval)
    }

    /// Returns the unit: the configured one, or that of the formula.
    private static func unit(
        _ draft: Draft,
        _ values: NamedValues,
        _ cursor: inout ConfigurationCursor
    ) -> String? {
        let path = Self.path(draft.name, .formula)
        let unit = cursor.text(at: Self.path(draft.name, .unit))
        if let unit, unit.utf8.count > 24 {
            cursor.report(Self.path(draft.name, .unit), "has \(unit.utf8.count) bytes (limit: 24)")
        }
        guard cursor.check(draft.formula.names, at: path, values) else { return unit }
        do throws(ExpressionError) {
            guard case .symbol(let known) = try draft.formula.unit(values.unit), !known.isEmpty else { return unit }
            if let unit, unit != known {
                let message =
                    "the formula's value is in \(known), not in \(unit). Try: unit = \"\(known)\", or a factor"
                cursor.report(Self.path(draft.name, .unit), message)
            }
            return known
        } catch {
            cursor.report(path, "\(error.description). Try: convert one of them by a factor")
            return unit
        }
    }
}
