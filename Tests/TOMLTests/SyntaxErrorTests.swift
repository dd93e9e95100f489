// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

@testable import TOML
import Testing

@testable import Configuration

@Suite struct SyntaxErrorTests {
    @Test(
        "An error names its place, what was expected and what to do",
        arguments: [
            ("a = 1\nb = van", "2:5 b: column 5: van is no number, date, true or false; put a text in quotes"),
            ("a = 1.2.3", "1:5 a: column 5: 1.2.3 is no number, date, true or false; put a text in quotes"),
            (
                "é = 1",
                "1:1 : column 1: expected a key, found \"é\"; put a key in quotes that is not made of A-Z, a-z, 0-9, _ and -"
            ),
            ("[t]\na b = 1", "2:3 t.a: column 3: expected = after the key, found b"),
            ("[t]\na.b.\n", "2:5 t.a.b: column 5: expected a key, found the end of the line"),
            ("a", "1:2 a: column 2: expected = after the key, found the end of the file"),
            ("a =\n", "1:4 a: column 4: expected a value, found the end of the line; a text without content is \"\""),
            ("a = = 1", "1:5 a: column 5: expected a value, found ="),
            ("a = false\tb", "1:11 a: column 11: expected the end of the line, found b; begin a comment with #"),
            ("a = False", "1:5 a: column 5: False has to be written in small letters: false"),
            ("a = 007", "1:5 a: column 5: 007 begins with 0, as no number may; put a text in quotes"),
            ("a = -9223372036854775809", "1:5 a: column 5: -9223372036854775809 does not fit into 64 bits"),
            ("a = \u{201E}van\u{201C}", "1:5 a: column 5: curly quotes; write straight ones: \""),
            ("a = \"é\\d\"", "1:7 a: column 7: \\d means nothing; write \\\\ for a backslash"),
            ("a = \"\\uD800\"", "1:6 a: column 6: \\uD800 is no character of Unicode"),
            ("a = \"\"\"\n\\ x\"\"\"", "2:1 a: column 1: \"\\\\ \" means nothing; write \\\\ for a backslash"),
            ("a = 'b\nc = 1", "1:5 a: column 5: the text does not end on its line; close it with '"),
            ("a = 1\nb = \"\"\"c\n\n", "2:5 b: column 5: the text has no end; close it with \"\"\""),
            ("a = 'b\u{1}'", "1:7 a: column 7: the control character U+0001; remove it"),
            ("a = 1 \u{0}", "1:7 a: column 7: a NUL character; remove it"),
            ("a = 1\r\rb = 2", "1:6 a: column 6: a carriage return inside of a line; remove it"),
            ("[a", "1:3 a: column 3: expected ] after the name of the table, found the end of the file"),
            ("[[a]\n", "1:5 a: column 5: expected ] after the name of the table, found the end of the line"),
            ("[[a\n", "1:4 a: column 4: expected ]] after the name of the table, found the end of the line"),
            ("a = [1,\n2 3]", "2:3 a: column 3: expected a comma or ] in the list of line 1, found 3"),
            (
                "a = [\n1,\n",
                "3:1 a: column 1: expected a value, found the end of the file; a text without content is \"\""
            ),
            (
                "a = { b = 1\n}",
                "1:12 a: column 12: a table in braces has to end on its line; give it a [header] and lines of its own"
            ),
            ("a = { b = 1, c = x }", "1:18 a.c: column 18: x is no number, date, true or false; put a text in quotes"),
            ("a = { b = 1 ; c = 2 }", "1:13 a: column 13: expected a comma or } in the table, found ;"),
            ("a = { b = 1, }", "1:12 a: column 12: a comma before }; remove it"),
            ("\na = 1\n'a' = 2", "3:1 a: set before, on line 2; keep one of the two"),
            ("[a.b]\n[a]\n\n[a]", "4:2 a: set before, on line 2; keep one of the two"),
            ("[a]\nb.c = 1\n[a.b]", "3:2 a.b: set before, on line 2; keep one of the two"),
            ("\n[[a]]\n[[a]]\n[a]", "4:2 a: set before, on line 2; keep one of the two"),
            ("[a.b]\n[a]\nb.c = 1", "3:1 a.b.c: its table stands on line 1; add the key there"),
            ("[[a.b]]\n[a]\nb.c = 1", "3:1 a.b.c: its table stands on line 1; add the key there"),
            ("a = {}\na.b = 1", "2:1 a.b: the table on line 1 ends with its brace; add what is missing there"),
            ("a = 1\n[a.b]", "2:2 a.b: a is no table, see line 1"),
        ]
    )
    func errors(text: String, said: String) {
        let error = #expect(throws: SyntaxError.self) { try Document(Array(text.utf8)) }
        let place = error.map { "\($0.position.line):\($0.position.column) \($0.path.joined(separator: ".")): \($0)" }
        #expect(place == said)
    }

    @Test("What is said of a long or strange word fits on a line")
    func longWords() {
        let error = #expect(throws: SyntaxError.self) {
            try Document(Array("a = \(String(repeating: "x\u{300}", count: 5000))".utf8))
        }
        #expect((error?.description.utf8.count ?? 0) < 250)
        #expect(error?.description.contains("…") == true)
    }
}
