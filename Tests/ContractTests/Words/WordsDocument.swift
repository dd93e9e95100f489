// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

@testable import Contract

/// The contents of `docs/contract/words.<language>.json`, one entry on each line.
struct WordsDocument {
    let language: String
    /// The document with the words of another language; nil for English.
    let translation: JSON?

    var text: String {
        let parameters = Words.parameters.map { name, words in
            let title = self.word(words.title, "parameters", name, "title")
            return (name, Self.parameter(words, title: title))
        }
        let groups = ParameterCategory.allCases.map { group in
            (group.rawValue, JSON.string(self.word(Words.group(group), "groups", group.rawValue)).text)
        }
        let terms = Words.terms.map { key, word in (key, JSON.string(self.word(word, "terms", key)).text) }
        let sections = [
            Self.section("groups", groups), Self.section("parameters", parameters), Self.section("terms", terms),
        ]
        return "{\n  \"language\": \"\(self.language)\",\n\(sections.joined(separator: ",\n"))\n}\n"
    }

    /// Returns the word of the translation at a path, empty if it is missing; the English word without a translation.
    private func word(_ english: String, _ path: String...) -> String {
        guard let translation else { return english }
        var json = translation
        for key in path {
            guard case .object(let members) = json, let member = members[key] else { return "" }
            json = member
        }
        if case .string(let word) = json { return word }
        return ""
    }

    private static func section(_ name: String, _ entries: [(key: String, text: String)]) -> String {
        let lines = entries.sorted { $0.key < $1.key }.map { "    \(JSON.string($0.key).text): \($0.text)" }
        return "  \"\(name)\": {\n\(lines.joined(separator: ",\n"))\n  }"
    }

    private static func parameter(_ words: ParameterWords, title: String) -> String {
        var members = [Self.member("title", title), Self.member("group", words.group.rawValue)]
        if let decimals = words.decimals { members.append("\"decimals\": \(decimals)") }
        if let unit = words.unit { members.append(Self.member("unit", unit)) }
        if let imperial = words.imperial {
            let unit = Self.member("unit", imperial.unit)
            members.append("\"imperial\": { \(unit), \"decimals\": \(imperial.decimals) }")
        }
        if let gauge = words.gauge { members.append("\"gauge\": \(Self.gauge(gauge))") }
        if let gauge = words.dieselGauge { members.append("\"dieselGauge\": \(Self.gauge(gauge))") }
        return "{ \(members.joined(separator: ", ")) }"
    }

    private static func gauge(_ gauge: GaugeWords) -> String {
        let members: [(String, Double?)] = [
            ("minimum", gauge.minimum), ("maximum", gauge.maximum), ("warnBelow", gauge.warnBelow),
            ("warnAbove", gauge.warnAbove), ("dangerBelow", gauge.dangerBelow), ("dangerAbove", gauge.dangerAbove),
        ]
        let texts = members.compactMap { name, number in
            number.map { "\"\(name)\": \(Int(exactly: $0).map { "\($0)" } ?? "\($0)")" }
        }
        return "{ \(texts.joined(separator: ", ")) }"
    }

    private static func member(_ name: String, _ text: String) -> String {
        "\"\(name)\": \(JSON.string(text).text)"
    }
}
