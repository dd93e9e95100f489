// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Remote
import Testing

@Suite("Text from strangers, and from people")
struct TextTests {
    @Test("Nothing that commands a terminal is left")
    func printable() {
        #expect(Printable.text("P0301\u{1B}[2J\u{9B}31m\r\nA\tB\u{202E}C\u{7F}é€") == "P0301�[2J�31m  A B�C�é€")
        #expect(Printable.text(String(repeating: "x", count: 5000)).count == Printable.limit + 1)
    }

    @Test("JSON keeps its meaning and loses its danger")
    func json() throws {
        let value: JSON = ["a\u{9B}": "\u{7F}\u{202E}\u{E0001}\n é"]
        let text = Printable.json(value.text)
        #expect(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && !text.contains("\u{9B}") && text.contains("é"))
        #expect(try JSON(parsing: Array(text.utf8), depthLimit: 4) == value)
    }

    @Test(
        "Durations are read as people write them",
        arguments: [("30", 30.0), ("30s", 30), ("5m", 300), ("2h", 7200), ("1d", 86_400), ("0.5", 0.5), ("1.5m", 90)]
    )
    func spans(text: String, seconds: Double) {
        #expect(TimeSpan(text)?.duration == .milliseconds(Int64(seconds * 1000)))
    }

    @Test("What is no duration is none", arguments: ["", "s", "-1", "1e9", "5 m", "5mm", "nan", "inf", "99999d", "."])
    func noSpans(text: String) {
        #expect(TimeSpan(text) == nil)
    }

    @Test("A duration is written in its greatest unit", arguments: ["30s", "5m", "2h", "1d", "90s", "61m"])
    func units(text: String) {
        #expect(TimeSpan(text)?.description == text)
    }
}
