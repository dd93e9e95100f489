// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Drive
import Testing

@Suite("Conditions over the names of values")
struct ConditionTests {
    private static let values = ["a": 2.0, "b": 3.0, "on": 1, "off": 0]

    @Test(
        "A condition holds or does not",
        arguments: [
            ("a < b", true), ("a > b", false), ("a <= 2", true), ("a >= 2.5", false), ("a == 2", true),
            ("a != 2", false),
            ("a + 1 == b", true), ("on", true), ("off", false), ("not off", true), ("not a > b", true),
            ("a > b or a < b", true), ("a < b and off", false), ("off and off or on", true),
            ("off and (off or on)", false), ("(a < b) and on", true), ("a<b&&on", true), ("off||a<b", true),
            ("not not on", true),
        ]
    )
    func holds(_ text: String, _ expected: Bool) throws {
        #expect(try Condition(text).holds { Self.values[$0] } == expected)
    }

    @Test(
        "An unknown value leaves the answer open only where the answer depends on it",
        arguments: [
            ("c > 1", nil), ("not c > 1", nil), ("c > 1 and off", false), ("off and c > 1", false),
            ("c > 1 or on", true), ("on or c > 1", true), ("c > 1 and on", nil), ("c > 1 or off", nil), ("c", nil),
        ] as [(String, Bool?)]
    )
    func unknown(_ text: String, _ expected: Bool?) throws {
        #expect(try Condition(text).holds { Self.values[$0] } == expected)
    }

    @Test(
        "A mistake in a condition is reported",
        arguments: [
            ("a < b < 1", ExpressionError.unexpected("<", column: 7)), ("a <", .valueMissing(column: 4)),
            ("and a", .unexpected("and", column: 1)), ("a or", .valueMissing(column: 5)), ("1 < 2", .noNames),
            ("(a < b) < 1", .notANumber(column: 1)), ("a = 1", .unexpected("=", column: 3)),
        ]
    )
    func mistakes(_ text: String, _ error: ExpressionError) {
        #expect(throws: error) { try Condition(text) }
    }

    @Test("Names may begin with the words of conditions")
    func names() throws {
        #expect(try Condition("order > 1 and notes or android").names == ["android", "notes", "order"])
    }

    @Test(
        "A threshold for the end turns the comparison around",
        arguments: [
            ("a < 15", 20.0, "a > 20"), ("a <= 15", 15, "a > 15"), ("a > 115", 110, "a < 110"),
            ("a >= 1", 0.5, "a < 0.5"),
            ("a + b > 9", 8, "(a + b) < 8"), ("a > -5", -10, "a < -10"),
        ]
    )
    func clearing(_ text: String, _ threshold: Double, _ expected: String) throws {
        let clearing = try #require(try Condition(text).cleared(at: threshold))
        #expect(clearing.text == expected)
        #expect(try Condition(clearing.text).holds { Self.values[$0] } == clearing.holds { Self.values[$0] })
    }

    @Test(
        "A threshold that would hold together with the condition is refused, and so is one of no single comparison",
        arguments: [
            ("a < 15", 10.0), ("a > 115", 120), ("a == 1", 2), ("a > 1 and b > 1", 0), ("a", 0), ("a < b", 0),
            ("1 < a", 0),
        ]
    )
    func noClearing(_ text: String, _ threshold: Double) throws {
        #expect(try Condition(text).cleared(at: threshold) == nil)
    }
}
