// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Testing

@Suite("Untrusted text on terminals, in logs and in spreadsheets")
struct PrintableTests {
    @Test("No control character of a terminal remains")
    func printable() {
        #expect(Printable.text("P0301\u{1B}[2J\u{9B}31m\r\nA\tB\u{202E}C\u{7F}é€") == "P0301�[2J�31m  A B�C�é€")
        #expect(Printable.text(String(repeating: "x", count: 5000)).count == Printable.limit + 1)
        #expect(Printable.text("abcdef", limit: 3) == "abc…")
    }

    @Test(
        "Invisible characters, line separators and changes of direction become U+FFFD",
        arguments: [
            0x85, 0x9B, 0x061C, 0x200B, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2066, 0x2069, 0xFEFF, 0xE000,
            0xE0041, 0x10FFFE,
        ] as [UInt32]
    )
    func invisible(number: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(number))
        #expect(Printable.text("a\(scalar)b") == "a\u{FFFD}b" && Printable.cell("a\(scalar)b") == "a\u{FFFD}b")
    }

    @Test("Escaped JSON keeps its meaning and has no control character")
    func json() throws {
        let value: JSON = ["a\u{9B}": "\u{7F}\u{202E}\u{E0001}\n é"]
        let text = Printable.json(value.text)
        #expect(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && !text.contains("\u{9B}") && text.contains("é"))
        #expect(try JSON(parsing: Array(text.utf8), depthLimit: 4) == value)
    }

    @Test(
        "A cell never begins as a formula, and keeps its line breaks",
        arguments: [
            ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@SUM(A1)", "'@SUM(A1)"), ("\t=1", "'\t=1"),
            ("\r\n=1", "'\r\n=1"), ("1-1", "1-1"), ("", ""), ("two\nlines", "two\nlines"), ("a\u{1B}b", "a\u{FFFD}b"),
        ]
    )
    func cells(text: String, cell: String) {
        #expect(Printable.cell(text) == cell)
    }
}
