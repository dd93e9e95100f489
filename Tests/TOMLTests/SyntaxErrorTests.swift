// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TOML

@Suite struct SyntaxErrorTests {
    @Test(
        "An error names its position, the expected syntax and the remedy",
        arguments: [
            (
                "a = 1\nb = van",
                "2:5 b: column 5: van is not a number, a date, true or false. Try: quotes around a text"
            ),
            ("a = 1.2.3", "1:5 a: column 5: 1.2.3 is not a number, a date, true or false. Try: quotes around a text"),
            (
                "é = 1",
                "1:1 : column 1: expected a key, found \"é\". Try: quotes around a key with characters other than A-Z, a-z, 0-9, _ and -"
            ),
            ("[t]\na b = 1", "2:3 t.a: column 3: expected = after the key, found b"),
            ("[t]\na.b.\n", "2:5 t.a.b: column 5: expected a key, found the end of the line"),
            ("a", "1:2 a: column 2: expected = after the key, found the end of the file"),
            ("a =\n", "1:4 a: column 4: expected a value, found the end of the line. Try: \"\" for an empty text"),
            ("a = = 1", "1:5 a: column 5: expected a value, found ="),
            ("a = false\tb", "1:11 a: column 11: expected the end of the line, found b. Try: start a comment with #"),
            ("a = False", "1:5 a: column 5: False is not a value. Try: false"),
            (
                "a = 007",
                "1:5 a: column 5: 007 starts with 0, which TOML does not allow. Try: remove the zeros, or use quotes"
            ),
            (
                "a = -9223372036854775809",
                "1:5 a: column 5: -9223372036854775809 does not fit into 64 bits. Try: quotes around a text"
            ),
            ("a = \u{201E}van\u{201C}", "1:5 a: column 5: curly quotes. Try: straight quotes (\")"),
            ("a = \"é\\d\"", "1:7 a: column 7: \\d is not an escape sequence. Try: \\\\ for a backslash"),
            ("a = \"\\uD800\"", "1:6 a: column 6: \\uD800 stands for no character. Try: the character itself"),
            (
                "a = \"\"\"\n\\ x\"\"\"",
                "2:1 a: column 1: \"\\\\ \" is not an escape sequence. Try: \\\\ for a backslash"
            ),
            ("a = 'b\nc = 1", "1:5 a: column 5: the text is not closed on its line. Try: end it with '"),
            ("a = 1\nb = \"\"\"c\n\n", "2:5 b: column 5: the text is not closed. Try: end it with \"\"\""),
            ("a = 'b\u{1}'", "1:7 a: column 7: the control character U+0001. Try: remove it"),
            ("a = 1 \u{0}", "1:7 a: column 7: a NUL character. Try: remove it"),
            ("a = 1\r\rb = 2", "1:6 a: column 6: a carriage return within a line. Try: remove it"),
            ("[a", "1:3 a: column 3: expected ] after the name of the table, found the end of the file"),
            ("[[a]\n", "1:5 a: column 5: expected ] after the name of the table, found the end of the line"),
            ("[[a\n", "1:4 a: column 4: expected ]] after the name of the table, found the end of the line"),
            ("a = [1,\n2 3]", "2:3 a: column 3: expected a comma or ] in the list of line 1, found 3"),
            (
                "a = [\n1,\n",
                "3:1 a: column 1: expected a value, found the end of the file. Try: \"\" for an empty text"
            ),
            (
                "a = { b = 1\n}",
                "1:12 a: column 12: a table in braces must end on its line. Try: a [header] with one line per key"
            ),
            (
                "a = { b = 1, c = x }",
                "1:18 a.c: column 18: x is not a number, a date, true or false. Try: quotes around a text"
            ),
            ("a = { b = 1 ; c = 2 }", "1:13 a: column 13: expected a comma or } in the table, found ;"),
            ("a = { b = 1, }", "1:12 a: column 12: a comma before }. Try: remove it"),
            ("\na = 1\n'a' = 2", "3:1 a: already set on line 2. Try: keep one of the two"),
            ("[a.b]\n[a]\n\n[a]", "4:2 a: already set on line 2. Try: keep one of the two"),
            ("[a]\nb.c = 1\n[a.b]", "3:2 a.b: already set on line 2. Try: keep one of the two"),
            ("\n[[a]]\n[[a]]\n[a]", "4:2 a: already set on line 2. Try: keep one of the two"),
            ("[a.b]\n[a]\nb.c = 1", "3:1 a.b.c: its table is defined on line 1. Try: add the key there"),
            ("[[a.b]]\n[a]\nb.c = 1", "3:1 a.b.c: its table is defined on line 1. Try: add the key there"),
            (
                "a = {}\na.b = 1",
                "2:1 a.b: the table on line 1 is closed by its brace. Try: add the key inside the braces"
            ),
            (
                "a = 1\n[a.b]",
                "2:2 a.b: a has a value on line 1, so it cannot be a table. Try: remove one of the two"
            ),
        ]
    )
    func errors(text: String, said: String) {
        let error = #expect(throws: SyntaxError.self) { try Document(Array(text.utf8)) }
        let place = error.map { "\($0.position.line):\($0.position.column) \($0.path.joined(separator: ".")): \($0)" }
        #expect(place == said)
    }

    @Test("The error text for a long or strange word fits on one line")
    func longWords() {
        let error = #expect(throws: SyntaxError.self) {
            try Document(Array("a = \(String(repeating: "x\u{300}", count: 5000))".utf8))
        }
        #expect((error?.description.utf8.count ?? 0) < 250)
        #expect(error?.description.contains("…") == true)
    }
}
