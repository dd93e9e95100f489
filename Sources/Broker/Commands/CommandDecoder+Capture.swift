// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Drive
import OBD2

// The arguments of `capture`.
extension CommandDecoder {
    /// Reads a capture now, or a rule for a time.
    static func capture(_ arguments: JSONReader, _ known: KnownNames) throws(JSONError) -> CaptureOrder {
        guard arguments["rule"] != nil else {
            try arguments.allow(["after", "parameters"])
            return .now(
                after: try arguments.optionalSeconds("after", in: CaptureRule.afterRange) ?? .seconds(30),
                parameters: try Self.fasterKeys(arguments, known)
            )
        }
        try arguments.allow(["rule", "duration"])
        let duration = try arguments.seconds("duration", in: CommandLimits.durations)
        return .rule(try Self.rule(try arguments.object("rule"), known), for: duration)
    }

    private static func rule(_ rule: JSONReader, _ known: KnownNames) throws(JSONError) -> CaptureRule {
        try rule.allow(["name", "on", "codes", "when", "for", "parameters", "interval", "after"])
        let name = try rule.string("name")
        guard CaptureRule.isName(name), name != CaptureBudget.commandRule else {
            throw rule.error(
                "name",
                "1 to \(CaptureRule.nameLimit) characters of a-z, 0-9 and _, a letter first, and not \"command\""
            )
        }
        var result = CaptureRule(name, try Self.trigger(rule), parameters: try Self.fasterKeys(rule, known))
        if let interval = try rule.optionalSeconds("interval", in: CaptureRule.intervalRange) {
            result.interval = interval
        }
        if let after = try rule.optionalSeconds("after", in: CaptureRule.afterRange) { result.after = after }
        return result
    }

    private static func trigger(_ rule: JSONReader) throws(JSONError) -> CaptureRule.Trigger {
        guard (rule["on"] != nil) != (rule["when"] != nil) else {
            guard rule["on"] == nil else {
                throw rule.problem("on", "there is a condition in when too. Try: remove one of them")
            }
            throw rule.error("on", "either this, which names occasions, or when, which is a condition")
        }
        guard rule["when"] == nil else {
            guard rule["codes"] == nil else { throw rule.error("codes", "no codes beside when") }
            let text = try rule.string("when")
            let condition: Condition
            do throws(ExpressionError) {
                condition = try Condition(text)
            } catch {
                throw rule.problem("when", "\(error)")
            }
            return .condition(condition, for: try rule.optionalSeconds("for", in: CaptureRule.holdingRange) ?? .zero)
        }
        guard rule["for"] == nil else { throw rule.error("for", "no time beside on") }
        var occasions: Set<CaptureRule.Occasion> = []
        for (index, text) in try rule.strings("on").enumerated() {
            guard let occasion = CaptureRule.Occasion(rawValue: text) else {
                let known = CaptureRule.Occasion.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
                throw rule.error("on", element: index, "one of \(known)")
            }
            guard occasions.insert(occasion).inserted else {
                throw rule.error("on", element: index, "each occasion once")
            }
        }
        guard !occasions.isEmpty else { throw rule.error("on", "at least one occasion") }
        var codes: [CodePattern] = []
        for (index, text) in (rule["codes"] == nil ? [] : try rule.strings("codes")).enumerated() {
            guard codes.count < CommandLimits.parameters else {
                throw rule.error("codes", "at most \(CommandLimits.parameters) codes")
            }
            guard let pattern = CodePattern(text) else {
                let expected = "a code such as \"P0301\", or \"P03*\" for all that begin so"
                throw rule.error("codes", element: index, expected)
            }
            guard !codes.contains(pattern) else { throw rule.error("codes", element: index, "each code once") }
            codes.append(pattern)
        }
        guard rule["codes"] == nil || !codes.isEmpty else {
            throw rule.error("codes", "at least one code; all count without it")
        }
        guard codes.isEmpty || occasions.contains(.codeAppeared) else {
            throw rule.error("codes", "no codes without \"code_appeared\" in on")
        }
        return .occasions(occasions, codes: codes)
    }

    private static func fasterKeys(_ arguments: JSONReader, _ known: KnownNames) throws(JSONError) -> [ParameterKey] {
        guard arguments["parameters"] != nil else { return [] }
        let names = try arguments.strings("parameters")
        guard names.count <= CaptureRule.parameterLimit else {
            throw arguments.error("parameters", "at most \(CaptureRule.parameterLimit) names")
        }
        for (index, name) in names.enumerated() where names[..<index].contains(name) {
            throw arguments.error("parameters", element: index, "each name once")
        }
        return try Self.keys(named: names, arguments, known)
    }
}
