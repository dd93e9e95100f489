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
            ("a <", ExpressionError.valueMissing(column: 4)), ("and a", .unexpected("and", column: 1)),
            ("a or", .valueMissing(column: 5)), ("1 < 2", .noNames), ("(a < b) < 1", .notANumber(column: 1)),
            ("a > 1 km", .unexpected("km", column: 7)),
        ]
    )
    func mistakes(_ text: String, _ error: ExpressionError) {
        #expect(throws: error) { try Condition(text) }
    }

    @Test(
        "A sign or a word of another language comes with ours",
        arguments: [
            ("a = 1", "=", 3, "=="), ("a === 1", "=", 5, "=="), ("a => 1", "=>", 3, ">="), ("a =< 1", "=<", 3, "<="),
            ("a <> 1", "<>", 3, "!="), ("a > 1 & b", "&", 7, "and"), ("a > 1 | b", "|", 7, "or"), ("!a", "!", 1, "not"),
            ("a and !(b)", "!", 7, "not"), ("a ≥ 1", "≥", 3, ">="), ("(a = 1)", "=", 4, "=="),
            ("a > 1 AND b", "AND", 7, "and"), ("Not a", "Not", 1, "not"),
        ]
    )
    func foreignSigns(_ text: String, _ sign: String, _ column: Int, _ known: String) {
        let error = ExpressionError.foreignSign(sign, column: column, known: known)
        #expect(throws: error) { try Condition(text) }
        #expect(error.description == "column \(column): \"\(sign)\" is no operator. Try: \(known)")
    }

    @Test(
        "A comparison that is compared again comes with two comparisons that say the same",
        arguments: [
            ("20 < a < 40", 8, "a > 20 and a < 40"), ("a < b < 1", 7, "a < b and b < 1"),
            ("20 <= a + b < 40", 13, "(a + b) >= 20 and (a + b) < 40"), ("a == b == 1", 8, "a == b and b == 1"),
            ("1 < a <", 7, "x > 20 and x < 40"), ("1 < a = 2", 7, nil),
        ]
    )
    func comparedTwice(_ text: String, _ column: Int, _ instead: String?) throws {
        guard let instead else {
            #expect(throws: ExpressionError.foreignSign("=", column: column, known: "==")) { try Condition(text) }
            return
        }
        #expect(throws: ExpressionError.comparedTwice(column: column, instead: instead)) { try Condition(text) }
        #expect(throws: Never.self) { try Condition(instead) }
    }

    @Test("The form of a long comparison that is compared again is an example")
    func longComparedTwice() {
        let name = String(repeating: "a", count: 60)
        #expect(throws: ExpressionError.comparedTwice(column: 66, instead: "x > 20 and x < 40")) {
            try Condition("1 < \(name) < 5")
        }
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
            ("a + b > 9", 8, "(a + b) < 8"), ("a > -5", -10, "a < -10"), ("1 < a", 0, "a < 0"),
        ]
    )
    func clearing(_ text: String, _ threshold: Double, _ expected: String) throws {
        let clearing = try Condition(text).cleared(at: threshold)
        #expect(clearing.text == expected)
        #expect(try Condition(clearing.text).holds { Self.values[$0] } == clearing.holds { Self.values[$0] })
    }

    @Test(
        "A threshold that would hold together with the condition is refused, and so is one of no single comparison",
        arguments: [
            ("a < 15", 10.0, ThresholdError.wrongSide(10, isBelow: true, of: 15)),
            ("a > 115", 120, .wrongSide(120, isBelow: false, of: 115)),
            ("1 < a", 2, .wrongSide(2, isBelow: false, of: 1)),
            ("a == 1", 2, .compares(by: "==", opposite: "a != 1")),
            ("a != 0", 0, .compares(by: "!=", opposite: "a == 0")),
            ("a > 1 and b > 1", 0, .notOneComparison), ("a", 0, .notOneComparison), ("a < b", 0, .notOneComparison),
        ]
    )
    func noClearing(_ text: String, _ threshold: Double, _ error: ThresholdError) {
        #expect(throws: error) { try Condition(text).cleared(at: threshold) }
    }

    @Test(
        "Conditions overlap if they are the same, or if their ranges of one formula have a value in common",
        arguments: [
            ("a > 10", "a > 5"), ("a > 10", "a < 20"), ("a >= 10", "10 >= a"), ("a < 15", "not a > 20"),
            ("a > 10 and a < 20", "a > 15"), ("a == 5", "a > 3"), ("a == 5", "a == 5"), ("a", "a"),
            ("a > 1 or b > 1", "a > 1 or b > 1"), ("a - b > 1", "a - b > 0"), ("a > 10", "a >= 5 and a < 11"),
        ]
    )
    func overlap(_ text: String, _ other: String) throws {
        #expect(try Condition(text).overlaps(Condition(other)) && Condition(other).overlaps(Condition(text)))
    }

    @Test(
        "Ranges without a common value, and conditions of different formulas, are not proved to overlap",
        arguments: [
            ("a > 10", "a <= 10"), ("a > 10", "a < 5"), ("a >= 10", "a < 10"), ("a == 5", "a != 5"),
            ("a != 0", "a == 0"),
            ("a > 10 and a < 20", "a > 20"), ("a > 10", "b > 5"), ("a > 10 and b > 5", "a < 20"),
            ("a > 10 or b > 5", "a > 20"), ("a != 0", "a < 1"),
        ]
    )
    func noOverlap(_ text: String, _ other: String) throws {
        #expect(try !Condition(text).overlaps(Condition(other)) && !Condition(other).overlaps(Condition(text)))
    }
}
