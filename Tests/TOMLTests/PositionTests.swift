// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TOML

@Suite struct PositionTests {
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
        [[list]]
        "é" = "é"
        "ü" = { "ö" = "ä", b = 1 }
        [later]
        """#

    @Test(
        "Every key, value and element has its position",
        arguments: [
            (["root"], (1, 1), (1, 8)), (["dotted"], (2, 1), (2, 1)), (["dotted", "quoted key"], (2, 10), (2, 10)),
            (["dotted", "quoted key", "a.b"], (2, 25), (2, 33)), (["table"], (3, 3), (3, 3)),
            (["table", "one"], (4, 1), (4, 7)), (["table", "two"], (8, 1), (8, 7)),
            (["table", "two", "0"], (8, 8), (8, 8)), (["table", "two", "2"], (9, 5), (9, 5)),
            (["table", "two", "3"], (9, 10), (9, 10)), (["table", "two", "3", "1"], (10, 5), (10, 5)),
            (["table", "two", "4"], (12, 5), (12, 5)), (["table", "two", "4", "inline"], (12, 7), (12, 16)),
            (["table", "two", "4", "other", "1"], (13, 5), (13, 5)), (["table", "three"], (14, 1), (14, 9)),
            (["table", "inner"], (15, 8), (15, 8)), (["table", "inner", "x y"], (15, 14), (15, 14)),
            (["table", "inner", "x y", "four", "six", "seven"], (16, 24), (16, 32)), (["list"], (17, 3), (17, 3)),
            (["list", "0"], (17, 3), (17, 3)), (["list", "1"], (19, 3), (19, 3)),
            (["list", "1", "é"], (20, 1), (20, 7)),
            (["list", "1", "ü", "ö"], (21, 9), (21, 15)), (["list", "1", "ü", "b"], (21, 20), (21, 24)),
            (["later"], (22, 2), (22, 2)),
        ]
    )
    func places(path: [String], key: (Int, Int), value: (Int, Int)) throws {
        let root = try Document(Array(Self.text.utf8)).root
        var node = TOMLNode(value: .table(root), position: Position(line: 0, column: 0))
        var place = node.position
        for name in path {
            if let entry = node.value.table?[name] {
                (place, node) = (entry.position, entry.node)
            } else if case .array(let nodes) = node.value, let index = Int(name) {
                (place, node) = (nodes[index].position, nodes[index])
            } else {
                Issue.record("no \(name)")
            }
        }
        #expect(place == Position(line: key.0, column: key.1))
        #expect(node.position == Position(line: value.0, column: value.1))
    }

    @Test("Keys are listed in the order of first mention")
    func order() throws {
        let root = try Document(Array("z = 1\n[b.c]\n[a]\n[b]\nx = 1\n".utf8)).root
        #expect(root.entries.map(\.name) == ["z", "b", "a"])
        #expect(root["b"]?.value.table?.entries.map(\.name) == ["c", "x"])
        #expect(root["b"]?.position == Position(line: 2, column: 2))
    }

    @Test(
        "Lines are counted as in an editor",
        arguments: [("", 1), ("a=1", 1), ("a=1\n", 1), ("#\na=1", 2), ("#\r\n#\r\n", 2), ("\n\n", 2), ("a=[\n\n]", 3)]
    )
    func lineCount(text: String, count: Int) throws {
        #expect(try Document(Array(text.utf8)).lineCount == count)
    }
}
