// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Drive
import Testing

@Suite("Formulas over the names of values")
struct ExpressionTests {
    private static let values = ["a": 2.0, "b": 3.0, "zero": 0.0, "huge": 1e300, "speed_1": 50]

    @Test(
        "A formula has the usual precedence",
        arguments: [
            ("a + b * 2", 8.0), ("(a + b) * 2", 10), ("a - b - 1", -2), ("12 / a / b", 2), ("-a + b", 1), ("- -a", 2),
            ("a*-b", -6), ("abs(a - b)", 1), ("min(a, b, 1)", 1), ("max(a, b)", 3), ("speed_1 / 10", 5),
            (" a\t+b ", 5), (".5 * a", 1), ("1.25*a", 2.5),
        ]
    )
    func value(_ text: String, _ expected: Double) throws {
        let value = try Expression(text).evaluate { Self.values[$0] }
        #expect(value == expected)
    }

    @Test(
        "A formula has no value if a value is unknown, a divisor is zero, or the result is not finite",
        arguments: ["a + c", "a / zero", "zero / zero", "huge * huge", "max(a, c)", "abs(c)"]
    )
    func unknown(_ text: String) throws {
        #expect(try Expression(text).evaluate { Self.values[$0] } == nil)
    }

    @Test("A value that is not finite is unknown")
    func infinite() throws {
        #expect(try Expression("x").evaluate { _ in .infinity } == nil)
        #expect(try Expression("0 * x").evaluate { _ in .nan } == nil)
    }

    @Test("The names are sorted, each once")
    func names() throws {
        #expect(try Expression("b + a * b - min(a, c)").names == ["a", "b", "c"])
    }

    @Test(
        "A mistake is reported with its column",
        arguments: [
            ("", ExpressionError.valueMissing(column: 1)), ("a +", .valueMissing(column: 4)),
            ("a b", .unexpected("b", column: 3)), ("a + $", .valueMissing(column: 5)),
            ("(a", .notClosed(column: 1)), ("(a]", .unexpected("]", column: 3)), ("a)", .unexpected(")", column: 2)),
            ("sin(a)", .unknownFunction("sin", column: 1)), ("abs(a, b)", .wrongArguments("abs(value)", column: 1)),
            ("min(a)", .wrongArguments("min(value, value)", column: 1)), ("1 + 2", .noNames),
            ("a + 1x", .unexpected("1x", column: 5)), ("a > 1", .notANumber(column: 1)),
            ("(a > 1) + 2", .notANumber(column: 1)), ("2 * (a > 1)", .notANumber(column: 5)),
            ("a + and", .unexpected("and", column: 5)), ("min", .unexpected("min", column: 1)),
        ]
    )
    func mistakes(_ text: String, _ error: ExpressionError) {
        #expect(throws: error) { try Expression(text) }
    }

    @Test(
        "A divisor that is always zero is a mistake",
        arguments: [
            "a / 0", "a / (2 - 2)", "b + a / -0.0", "a / abs(0)", "a / (b - b)", "a / (a + b - b - a)", "a / (0 * b)",
            "a / abs(2 * b - b - b)", "a / min(b - b, 0)", "a / (a * b - a * b)",
        ]
    )
    func divisorAlwaysZero(_ text: String) {
        let column = (text.firstIndex(of: "/").map { text.distance(from: text.startIndex, to: $0) } ?? 0) + 3
        let error = ExpressionError.divisorAlwaysZero(column: column)
        #expect(throws: error) { try Expression(text) }
        #expect(error.description.contains("Try: "))
    }

    @Test(
        "A divisor that may be another number is none",
        arguments: ["a / (a - b)", "a / (2 * b - b)", "a / max(0, b)", "a / (b - 1)", "a / (a * b - b)", "a / abs(b)"]
    )
    func divisor(_ text: String) throws { #expect(try Expression(text).names.contains("a")) }

    @Test("Length, depth and number of parts are bounded")
    func bounds() {
        #expect(throws: ExpressionError.tooLong(limit: 512)) { try Expression(String(repeating: "a", count: 513)) }
        let deep = String(repeating: "(", count: 40) + "a" + String(repeating: ")", count: 40)
        #expect(throws: ExpressionError.tooComplex(column: 25)) { try Expression(deep) }
        let long = Array(repeating: "a", count: 90).joined(separator: "+")
        #expect(throws: ExpressionError.self) { try Expression(long) }
        #expect(throws: Never.self) { try Expression(Array(repeating: "a", count: 60).joined(separator: "+")) }
    }

    @Test("No text of these characters makes the parser trap")
    func anyText() {
        let letters = Array("a1.()+-*/<>=!&|, not$".utf8)
        var state: UInt64 = 1
        for _ in 0..<20_000 {
            var text: [UInt8] = []
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            for _ in 0..<state >> 60 + 1 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text.append(letters[Int(state >> 33) % letters.count])
            }
            guard let condition = try? Condition(String(decoding: text, as: UTF8.self)) else { continue }
            #expect(!condition.names.isEmpty)
            _ = condition.holds { _ in 1 }
        }
    }

    // MARK: - Units

    private static func unit(_ name: String) -> KnownUnit {
        switch name {
        case "speed", "limit": .symbol("km/h")
        case "temperature": .symbol("°C")
        default: .unknown
        }
    }

    @Test(
        "Values of one unit can be added and compared, and any can be multiplied",
        arguments: [
            ("speed - limit", KnownUnit.symbol("km/h")), ("speed + 5", .symbol("km/h")), ("speed * limit", .unknown),
            ("speed * 2 + temperature", .symbol("°C")), ("-speed", .symbol("km/h")), ("abs(speed)", .symbol("km/h")),
            ("min(speed, limit)", .symbol("km/h")), ("other + speed", .symbol("km/h")),
            ("2 * 3 + speed", .symbol("km/h")),
        ]
    )
    func units(_ text: String, _ expected: KnownUnit) throws {
        #expect(try Expression(text).unit(Self.unit) == expected)
    }

    @Test("Values of different units can be neither added nor compared")
    func differentUnits() throws {
        let error = ExpressionError.differentUnits("km/h", "°C", sign: "+")
        #expect(throws: error) { try Expression("speed + temperature").unit(Self.unit) }
        #expect(throws: ExpressionError.self) { try Expression("max(speed, temperature)").unit(Self.unit) }
        let condition = try Condition("not (speed > 5 and speed < temperature)")
        #expect(throws: ExpressionError.differentUnits("km/h", "°C", sign: "<")) { try condition.checkUnits(Self.unit) }
        #expect(throws: Never.self) { try Condition("speed > 5 and temperature > 5").checkUnits(Self.unit) }
    }
}
