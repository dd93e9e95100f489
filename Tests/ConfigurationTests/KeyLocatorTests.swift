// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration

@Suite struct KeyLocatorTests {
    private static let text = #"""
        root = 1
        dotted . "quoted key" . 'a.b' = 2   # not = here
        [ table ]
        one = """
        [not.a.table]
        key = "no key" \"""
        """
        two = ["[", ']', # ]
            "x", [ "y",
            "z" ],

            { inline = 1, other = [1,
            2] }, ]
        three = ''' '' ''''
        [table.inner."x y"]
        four = { five = 5, six.seven = 7 }
        [[list]]
        eight = 2026-11-21
        """#

    private static let locator = KeyLocator(Array(Self.text.utf8))

    @Test(
        "A key is found whatever stands before it",
        arguments: [
            (["root"], 1), (["dotted"], 2), (["dotted", "quoted key"], 2), (["dotted", "quoted key", "a.b"], 2),
            (["table"], 3), (["table", "one"], 4), (["table", "two"], 8), (["table", "two", "0"], 8),
            (["table", "two", "1"], 8), (["table", "two", "2"], 9), (["table", "two", "3"], 9),
            (["table", "two", "4"], 12), (["table", "three"], 14), (["table", "inner", "x y"], 15),
            (["table", "inner", "x y", "four"], 16), (["list"], 17), (["list", "eight"], 18),
        ]
    )
    func keys(path: [String], line: Int) {
        #expect(Self.locator.firstLine(of: path) == line)
        #expect(Self.locator.line(of: path) == line)
    }

    @Test(
        "What cannot be found has the line of what would contain it, or the last",
        arguments: [
            (["table", "missing"], 3), (["table", "inner", "x y", "four", "five"], 16), (["missing", "key"], 18),
            ([], 18),
        ]
    )
    func missing(path: [String], line: Int) {
        #expect(Self.locator.firstLine(of: path) == nil)
        #expect(Self.locator.line(of: path) == line)
    }

    @Test("The text inside of a value is no key")
    func insideValues() {
        #expect(Self.locator.firstLine(of: ["not", "a", "table"]) == nil)
        #expect(Self.locator.firstLine(of: ["table", "key"]) == nil)
    }

    @Test(
        "Lines are counted as an editor does",
        arguments: [("", 1), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\r\nb\r\n", 2), ("\n\n", 2), ("a = [\n\n", 2)]
    )
    func lineCount(text: String, count: Int) {
        #expect(KeyLocator(Array(text.utf8)).lineCount == count)
    }

    @Test("Deep nesting is seen, long lists and many numbers are not taken for it")
    func nesting() {
        func deepLine(_ text: String) -> Int? { KeyLocator(Array(text.utf8)).fault?.line }
        #expect(deepLine("[a]\n" + String(repeating: "a.", count: 65) + "a = 1") == 2)
        #expect(deepLine("[" + String(repeating: "a.", count: 40) + "a]\n" + String(repeating: "a.", count: 40)) == 2)
        #expect(deepLine("a = " + String(repeating: "[\n", count: 65)) == 65)
        #expect(deepLine("a = " + String(repeating: "{a.a=", count: 33)) == 1)
        #expect(deepLine("a = [" + String(repeating: "0.5, ", count: 100) + "]") == nil)
        #expect(deepLine("a = '" + String(repeating: "[.", count: 100) + "'") == nil)
        #expect(deepLine("a = 1 #" + String(repeating: "[.", count: 100)) == nil)
    }

    @Test("An escaped NUL is seen where it is one")
    func escapedNUL() {
        func nulLine(_ text: String) -> Int? { KeyLocator(Array(text.utf8)).fault?.line }
        #expect(nulLine(#"a = "\u0000""#) == 1)
        #expect(nulLine("\n" + #"a = ["", "\U00000000"]"#) == 2)
        #expect(nulLine(#""\u0000" = 1"#) == 1)
        #expect(nulLine(#"a = "\\u0000""#) == nil)
        #expect(nulLine(#"a = '\u0000' # "\u0000""#) == nil)
    }
}
