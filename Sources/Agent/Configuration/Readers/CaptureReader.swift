// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Drive
import OBD2
import TOML

/// Reads the tables `[capture.NAME]`.
enum CaptureReader {
    /// The keys of a table.
    private enum TableKey: String, CaseIterable {
        case enabled, on, codes, when, parameters, interval, after
        case duration = "for"
        case perDay = "per_day"
    }

    /// The parameters and values that a table may name.
    struct Names {
        let values: NamedValues
        /// The custom and the derived parameters, by name.
        let parameters: [String: ParameterKey]

        init(_ values: NamedValues, _ custom: [CustomEntry], _ derived: [DerivedEntry]) {
            self.values = values
            let keys =
                derived.map { ParameterKey.derived($0.parameter.name) } + custom.map { .custom($0.parameter.name) }
            self.parameters = Dictionary(keys.map { ($0.name, $0) }) { $1 }
        }
    }

    /// Returns the rules, ordered by name; the built-in one is among them unless a table of its name switches it off.
    static func read(_ names: Names, _ cursor: inout ConfigurationCursor) -> [CaptureRule] {
        let tables = cursor.table(.capture)?.entries ?? []
        if tables.count > CaptureRule.countLimit / 2 {
            let limit = CaptureRule.countLimit / 2
            cursor.report([Section.capture.rawValue], "more than \(limit) tables. Try: remove some")
        }
        var rules = [CaptureRule.builtIn.name: CaptureRule.builtIn]
        for entry in tables.prefix(CaptureRule.countLimit / 2) {
            let path = [Section.capture.rawValue, entry.name]
            guard entry.value.table != nil else {
                cursor.report(path, "expected a table [capture.\(entry.name.quotedIfNeeded)], found \(entry.value)")
                continue
            }
            guard CaptureRule.isName(entry.name) else {
                cursor.report(path, CustomTableReader.nameRule)
                continue
            }
            guard entry.name != CaptureBudget.commandRule else {
                cursor.report(path, "the captures of commands have this name. Try: another name")
                continue
            }
            cursor.reportUnknownKeys(at: path, known: TableKey.allCases.map(\.rawValue))
            rules[entry.name] = Self.rule(entry.name, names, &cursor)
        }
        return rules.values.sorted { $0.name < $1.name }
    }

    private static func path(_ name: String, _ key: TableKey) -> [String] {
        [Section.capture.rawValue, name, key.rawValue]
    }

    /// Returns the rule of a table; nil if it is switched off or has a mistake.
    private static func rule(_ name: String, _ names: Names, _ cursor: inout ConfigurationCursor) -> CaptureRule? {
        let countBefore = cursor.problemCount
        let isEnabled = cursor.flag(at: Self.path(name, .enabled)) ?? true
        guard let trigger = Self.trigger(name, names.values, isEnabled: isEnabled, &cursor) else { return nil }
        var rule = CaptureRule(name, trigger, parameters: Self.parameters(name, names, &cursor))
        if let interval = cursor.seconds(at: Self.path(name, .interval), in: CaptureRule.intervalRange) {
            rule.interval = interval
        }
        if let after = cursor.seconds(at: Self.path(name, .after), in: CaptureRule.afterRange) { rule.after = after }
        if let perDay = cursor.integer(at: Self.path(name, .perDay), in: CaptureRule.perDayRange) {
            rule.perDay = Int(perDay)
        }
        return isEnabled && cursor.problemCount == countBefore ? rule : nil
    }

    // MARK: - The trigger

    private static func trigger(
        _ name: String,
        _ values: NamedValues,
        isEnabled: Bool,
        _ cursor: inout ConfigurationCursor
    ) -> CaptureRule.Trigger? {
        let hasOccasions = Self.isSet(.on, of: name, cursor)
        let hasCondition = Self.isSet(.when, of: name, cursor)
        guard hasOccasions != hasCondition else {
            if !hasOccasions, name == CaptureRule.builtIn.name { return Self.builtIn(name, &cursor) }
            if hasOccasions {
                cursor.report([Section.capture.rawValue, name], "has both on and when. Try: remove one of them")
            } else if isEnabled {
                let names = CaptureRule.Occasion.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
                let message =
                    "needs either on or when. Try: on = one of \(names), or when = \"coolant_temperature > 115\""
                cursor.report([Section.capture.rawValue, name], message)
            }
            return nil
        }
        for key in hasOccasions ? [TableKey.duration] : [.codes] where Self.isSet(key, of: name, cursor) {
            let other = hasOccasions ? "when" : "on = \"code_appeared\""
            cursor.report(Self.path(name, key), "counts only with \(other). Try: remove it")
        }
        return hasOccasions ? Self.occasions(name, &cursor) : Self.condition(name, values, &cursor)
    }

    /// Returns whether a key has a value; an empty text and an empty list are none.
    private static func isSet(_ key: TableKey, of name: String, _ cursor: ConfigurationCursor) -> Bool {
        let path = Self.path(name, key)
        if case .array(let elements) = cursor.value(at: path) { return !elements.isEmpty }
        return cursor.isSet(path)
    }

    private static func builtIn(_ name: String, _ cursor: inout ConfigurationCursor) -> CaptureRule.Trigger? {
        guard case .occasions(let occasions, _) = CaptureRule.builtIn.trigger else { return nil }
        return .occasions(occasions, codes: Self.codes(name, &cursor))
    }

    private static func occasions(_ name: String, _ cursor: inout ConfigurationCursor) -> CaptureRule.Trigger? {
        let path = Self.path(name, .on)
        var occasions: Set<CaptureRule.Occasion> = []
        for (text, element) in cursor.textOrTexts(at: path) {
            guard let occasion = CaptureRule.Occasion(rawValue: text) else {
                let known = CaptureRule.Occasion.allCases.map(\.rawValue)
                let error = ValueError.unknownWord(text, known: known)
                cursor.report(path, error.description, suggestion: error.suggestion, element: element)
                continue
            }
            if !occasions.insert(occasion).inserted { Self.reportRepetition(of: text, path, element, &cursor) }
        }
        let codes = Self.codes(name, &cursor)
        if !codes.isEmpty, !occasions.contains(.codeAppeared) {
            cursor.report(Self.path(name, .codes), "counts only with on = \"code_appeared\". Try: remove it")
        }
        return occasions.isEmpty ? nil : .occasions(occasions, codes: codes)
    }

    private static func codes(_ name: String, _ cursor: inout ConfigurationCursor) -> [CodePattern] {
        let path = Self.path(name, .codes)
        if cursor.value(at: path) == .array([]) {
            cursor.report(path, "names no code. Try: remove it, which means all codes, or codes = [\"P03*\"]")
        }
        var seen: Set<String> = []
        return cursor.textOrTexts(at: path).compactMap { text, element in
            if !seen.insert(text).inserted { Self.reportRepetition(of: text, path, element, &cursor) }
            guard let pattern = CodePattern(text) else {
                let message = "\"\(text)\" is no code. Try: \"P0301\", or \"P03*\" for all codes that begin so"
                cursor.report(path, message, element: element)
                return nil
            }
            return pattern
        }
    }

    private static func condition(
        _ name: String,
        _ values: NamedValues,
        _ cursor: inout ConfigurationCursor
    ) -> CaptureRule.Trigger? {
        let path = Self.path(name, .when)
        let duration = cursor.seconds(at: Self.path(name, .duration), in: CaptureRule.holdingRange) ?? .zero
        guard let text = cursor.text(at: path), let condition = LimitReader.condition(text, at: path, values, &cursor)
        else {
            return nil
        }
        return .condition(condition, for: duration)
    }

    private static func reportRepetition(
        of text: String,
        _ path: [String],
        _ element: Int?,
        _ cursor: inout ConfigurationCursor
    ) {
        cursor.report(path, "\(text.quoted) stands here twice. Try: remove one of them", element: element)
    }

    // MARK: - The captured parameters

    private static func parameters(
        _ name: String,
        _ names: Names,
        _ cursor: inout ConfigurationCursor
    ) -> [ParameterKey] {
        let path = Self.path(name, .parameters)
        let words = cursor.textOrTexts(at: path)
        if words.count > CaptureRule.parameterLimit {
            cursor.report(path, "more than \(CaptureRule.parameterLimit) parameters. Try: remove some")
        }
        var keys: [ParameterKey] = []
        var seen: Set<String> = []
        for (text, element) in words.prefix(CaptureRule.parameterLimit) {
            if !seen.insert(text).inserted { Self.reportRepetition(of: text, path, element, &cursor) }
            guard let key = names.parameters[text] ?? Parameter.named(text).map({ .pid($0.pid) }) else {
                let known = names.parameters.keys.sorted() + Parameter.catalogue.map(\.name)
                let suggestion = Spelling.closest(to: text, in: known)
                let message = "\(text.quoted) is no parameter"
                let advice = suggestion == nil ? ". Try: a name that obd-agent parameters list shows" : ""
                cursor.report(path, message + advice, suggestion: suggestion, element: element)
                continue
            }
            if !keys.contains(key) { keys.append(key) }
        }
        return keys
    }
}
