// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// Generates texts from pieces of TOML syntax, about half of them valid.
struct TextGenerator {
    private var numbers: SeededNumbers

    init(seed: UInt64) {
        self.numbers = SeededNumbers(seed)
    }

    mutating func text() -> [UInt8] {
        var text: [UInt8] = []
        for _ in 0..<Int.random(in: 1...4, using: &self.numbers) { text += self.statement().utf8 }
        if self.happens(1, of: 5) {
            for _ in 0..<Int.random(in: 1...2, using: &self.numbers) { self.mutate(&text) }
        }
        return text
    }

    private mutating func statement() -> String {
        let body =
            switch Int.random(in: 0..<10, using: &self.numbers) {
            case 0: ""
            case 1...2: "[\(self.key())]"
            case 3: "[[\(self.key())]]"
            default: self.keyAndValue(depth: 0)
            }
        let comment = self.happens(1, of: 6) ? self.one(of: [" # note", "#", "\t#\"é", " ## ]"]) : ""
        return self.blank() + body + comment + (self.happens(1, of: 8) ? "\r\n" : "\n")
    }

    private mutating func keyAndValue(depth: Int) -> String {
        "\(self.key())\(self.blank())=\(self.blank())\(self.value(depth: depth))"
    }

    private mutating func key() -> String {
        // Few names, so that they often collide.
        let names = [
            "a", "a", "b", "b", "c", "d", "e", "f", "\"a\"", "'b'", "1", "-", "\"\"", "\"é\"", "'e\u{301}'",
            "\"\\u0061\"",
        ]
        var key = self.one(of: names)
        while self.happens(1, of: 3) { key += self.blank() + "." + self.blank() + self.one(of: names) }
        return key
    }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<12, using: &self.numbers) {
        case 0...1 where depth < 4: self.list(depth: depth)
        case 2...3 where depth < 4: self.inlineTable(depth: depth)
        case 4...5: self.one(of: Self.texts)
        case 6: self.one(of: Self.moments)
        case 7: self.number()
        default: self.one(of: Self.scalars)
        }
    }

    private mutating func list(depth: Int) -> String {
        var list = "["
        for _ in 0..<Int.random(in: 0...3, using: &self.numbers) {
            list += self.gap() + self.value(depth: depth + 1) + self.gap() + ","
        }
        if self.happens(2, of: 3), list.last == "," { list.removeLast() }
        return list + self.gap() + "]"
    }

    private mutating func inlineTable(depth: Int) -> String {
        var parts: [String] = []
        for _ in 0..<Int.random(in: 0...3, using: &self.numbers) {
            parts.append(self.blank() + self.keyAndValue(depth: depth + 1) + self.blank())
        }
        return "{" + parts.joined(separator: ",") + (self.happens(1, of: 20) ? "," : "") + "}"
    }

    private mutating func number() -> String {
        let pieces = [
            "0", "1", "9", "12", "_", ".", "e", "E", "+", "-", "0x", "0o", "0b", "f", "7", "inf", "nan", "_1",
        ]
        var number = self.one(of: ["", "", "-", "+", "1", "0", "0x"])
        for _ in 0..<Int.random(in: 1...4, using: &self.numbers) { number += self.one(of: pieces) }
        return number
    }

    private mutating func mutate(_ text: inout [UInt8]) {
        let index = Int.random(in: 0...text.count, using: &self.numbers)
        switch Int.random(in: 0..<5, using: &self.numbers) {
        case 0 where index < text.count: text.remove(at: index)
        case 1 where index < text.count: text[index] = UInt8.random(in: 0...255, using: &self.numbers)
        case 2:
            let end = min(text.count, index + Int.random(in: 0...8, using: &self.numbers))
            text.insert(contentsOf: text[index..<end], at: Int.random(in: 0...text.count, using: &self.numbers))
        default: text.insert(contentsOf: self.one(of: Self.tokens).utf8, at: index)
        }
    }

    private mutating func blank() -> String { self.happens(3, of: 4) ? "" : self.one(of: [" ", "\t", "  "]) }

    private mutating func gap() -> String { self.happens(3, of: 4) ? "" : self.one(of: [" ", "\n", "\r\n", " # x\n"]) }

    private mutating func happens(_ times: Int, of all: Int) -> Bool {
        Int.random(in: 0..<all, using: &self.numbers) < times
    }

    private mutating func one(of choices: [String]) -> String {
        choices.randomElement(using: &self.numbers) ?? ""
    }

    private static let scalars = [
        "true", "false", "0", "1", "-17", "+99", "1_000", "0xDEAD_beef", "0o755", "0b1101", "9223372036854775807",
        "-9223372036854775808", "9223372036854775808", "1.5", "-0.0", "6.626e-34", "5e+22", "1E06", "1e400", "inf",
        "-inf",
        "+nan", "00", "1__0", "True", "van", "3.", ".5", "0x8000000000000000", "0.1e1_0", "4.9e-324",
    ]
    private static let texts = [
        "\"\"", "''", "\"a b\"", "'C:\\dir'", "\"\\t\\n\\\"\\\\\\b\\f\\r\"", "\"\\u00e9\\U0001F600\"", "\"\\uD800\"",
        "\"\\q\"", "\"\"\"\nlong\n text\"\"\"", "'''\r\nraw ' '' text'''", "\"\"\"a\"\"\"\"\"", "''''a'''''",
        "\"\"\"a \\\n   \r\n\t b\"\"\"", "\"\"\"a \\  \n b\"\"\"", "\"\"\"\"\"\"", "\"no end", "\"#\"",
        "\"\"\"\\\"\"\"\"\"\"",
        "\"\\u0000\"", "\"e\u{301}é\"",
    ]
    private static let moments = [
        "1979-05-27", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00", "1979-05-27t00:32:00.999999-07:00", "07:32:00",
        "00:32:00.5", "2000-02-29", "1900-02-29", "1979-13-01", "1979-05-27T24:00:00", "1979-05-27 7:32:00", "07:32",
        "1979-05-27T07:32:00z", "1979-05-27T07:32:00+24:00", "1979-05-27 ", "07:32:00Z", "1979-5-27", "1979-05-27T",
    ]
    private static let tokens = [
        "=", ".", "[", "]", "[[", "]]", "{", "}", "\"", "\"\"\"", "'", "'''", "\\", "\\u0041", "#", "\n", "\r", "\r\n",
        ",", "1", "-", "_", ":", "T", "e", " ", "\t", "é", "\u{7F}", "a=1\n", "[a]\n", "[[a.b]]\n", "a.b=1\n", "+",
    ]
}
