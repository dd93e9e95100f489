// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TOML

@Suite struct GrammarTests {
    @Test("Statements, keys and tables are read as TOML 1.0 says", arguments: Vectors.keys + Vectors.tables)
    func document(text: String, means: String) {
        #expect(meaning(Array(text.utf8)) == means)
    }

    @Test(
        "Values are read as TOML 1.0 says, in any place",
        arguments: Vectors.numbers + Vectors.moments + Vectors.texts + Vectors.nested
    )
    func value(text: String, means: String) {
        func whole(_ before: String, _ after: String) -> String {
            means == "invalid" ? means : before + means + after
        }
        #expect(meaning(Array("a = \(text)".utf8)) == whole("{a:", "}"))
        #expect(meaning(Array("a=\(text)#\r\nb=1".utf8)) == whole("{a:", ",b:1}"))
        #expect(meaning(Array("a=[\(text)\n]".utf8)) == whole("{a:[", "]}"))
        #expect(meaning(Array("a={b=\(text)}".utf8)) == whole("{a:{b:", "}}"))
    }

    @Test("A date is kept as it is written")
    func moment() throws {
        let document = try Document(Array("a = 1979-05-27 07:32:00Z # b".utf8))
        #expect(document.root["a"]?.value == .dateTime("1979-05-27 07:32:00Z"))
    }

    @Test("Invalid UTF-8 is refused at its position", arguments: ["ff", "c080", "eda080", "f4908080", "c3", "80"])
    func encoding(hex: String) throws {
        let digits = Array(hex)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        let error = #expect(throws: SyntaxError.self) {
            try Document(Array("# é\na='é".utf8) + bytes + Array("'".utf8))
        }
        #expect(error?.fault == .notUTF8)
        #expect(error?.position == Position(line: 2, column: 5))
    }

    @Test("Tables and lists are at most 64 levels deep, whatever syntax creates them")
    func depth() {
        func said(_ text: String) -> String {
            do {
                _ = try Document(Array(text.utf8))
                return "read"
            } catch {
                return "\(error.position.line): \(error)"
            }
        }
        func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }
        let tooDeep = "nested more than 64 levels deep"
        #expect(said(times(63, "a.") + "a = 1") == "read")
        #expect(said("\n" + times(64, "a.") + "a = 1") == "2: \(tooDeep)")
        #expect(said("[" + times(63, "a.") + "a]") == "read")
        #expect(said("[[" + times(64, "a.") + "a]]") == "1: \(tooDeep)")
        #expect(said("[" + times(40, "a.") + "a]\n" + times(22, "a.") + "a = 1") == "read")
        #expect(said("[" + times(40, "a.") + "a]\n" + times(23, "a.") + "a = 1") == "2: \(tooDeep)")
        #expect(said("a = " + times(63, "[") + times(63, "]")) == "read")
        #expect(said("a = " + times(64, "[\n")) == "64: \(tooDeep)")
        #expect(said("a = " + times(63, "{a = ") + "1" + times(63, "}")) == "read")
        #expect(said("a = " + times(64, "{a = ")) == "1: \(tooDeep)")
        #expect(said("a = [" + times(100, "[], {}, 0.5, ") + "]") == "read")
        #expect(said("a = '" + times(100, "[.") + "' #" + times(100, "[.")) == "read")
    }
}
