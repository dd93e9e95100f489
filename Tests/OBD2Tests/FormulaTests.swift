// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OBD2

@Suite("Formulas")
struct FormulaTests {
    private static func value(_ text: String, _ data: [UInt8]) throws(FormulaError) -> Double? {
        try Formula(text).evaluate(data.span)
    }

    @Test(
        "A formula computes its value from the bytes",
        arguments: [
            ("A", [7], 7), ("B", [1, 9], 9), ("Z", [UInt8](1...26), 26), ("AA", [UInt8](1...27), 27),
            ("(256*A+B)/4", [0x1A, 0xF8], 1726), ("A*256+B", [0x01, 0x02], 258), (" A + B * 2 ", [3, 4], 11),
            ("A-40", [0], -40), ("-A", [5], -5), ("--A", [5], 5), ("+A", [5], 5), ("2-3-4", [], -5), ("64/4/2", [], 8),
            ("A%7", [16], 2), ("0.5*A", [9], 4.5), (".25*A", [2], 0.5), ("0x10+A", [1], 17), ("0Xff", [], 255),
            ("A&0x0F", [0xA7], 7), ("A|1", [6], 7), ("A^0xFF", [0x0F], 0xF0), ("A<<8|B", [1, 2], 258),
            ("A>>4", [0xA7], 10), ("1|2&3^1", [], 3), ("1+1<<2", [], 8), ("A.3", [0x08], 1), ("A.0", [0xFE], 0),
            ("{A:7}", [0x80], 1), ("{B:0}", [0, 1], 1), ("{ B : 0 }", [0, 1], 1),
            ("signed(A)", [0xFF], -1), ("signed(A)", [0x7F], 127), ("signed(A)", [0x80], -128),
            ("signed(bits(0, 12), 12)", [0xFF, 0xF0], -1), ("signed(A*256+B, 16)", [0x80, 0], -32768),
            ("int16(A,B)", [0xFF, 0xFE], -2), ("uint16(A,B)", [0xFF, 0xFE], 65534), ("int16(B,A)", [0xFE, 0xFF], -2),
            ("int24(A,B,C)", [0x80, 0, 0], -8_388_608), ("uint24(A,B,C)", [1, 0, 0], 65536),
            ("int32(A,B,C,D)", [0xFF, 0xFF, 0xFF, 0xFF], -1),
            ("uint32(A,B,C,D)", [0xFF, 0xFF, 0xFF, 0xFF], 4_294_967_295),
            ("bits(0, 8)", [0x5A], 0x5A), ("bits(4, 8)", [0x12, 0x34], 0x23), ("bits(7, 1)", [1], 1),
            ("bits(3, 10)", [0b0001_0110, 0b1100_1000], 0b10110_11001),
            ("bits(0, 48)", [1, 2, 3, 4, 5, 6], 0x0102_0304_0506),
            ("bits(7, 48)", [1, 0, 0, 0, 0, 0, 2], 0x8000_0000_0001),
            ("min(A, B, 3)", [9, 5], 3), ("max(A, B)", [9, 5], 9), ("abs(A-B)", [1, 9], 8),
            ("(A-128)*100/128", [0], -100), ("((((A))))", [4], 4), ("A*100/255", [255], 100),
        ] as [(String, [UInt8], Double)]
    )
    func vectors(text: String, data: [UInt8], expected: Double) throws {
        #expect(try Self.value(text, data) == expected)
    }

    @Test(
        "A formula without a valid result has no value",
        arguments: [
            ("A", []), ("B", [1]), ("bits(0, 9)", [1]), ("A/B", [1, 0]), ("A%B", [1, 0]), ("(A/2)&1", [1]),
            ("1<<64", []), ("1<<(0-1)", []), ("A>>100", [1]), ("signed(A+300)", [1]), ("signed(0-A)", [1]),
            ("uint32(A,A,A,A)<<40", [255]), ("A.0/A.1", [1]),
        ] as [(String, [UInt8])]
    )
    func noValue(text: String, data: [UInt8]) throws {
        #expect(try Self.value(text, data) == nil)
    }

    @Test(
        "A text that is not a formula is an error with the column",
        arguments: [
            ("", .valueMissing(column: 1)), ("A+", .valueMissing(column: 3)), ("(256*A", .notClosed(column: 1)),
            ("256*A+B)/4", .unexpected(")", column: 8)), ("A B", .unexpected("B", column: 3)),
            ("x+1", .unknownName("x", column: 1)), ("1+AAA", .unknownName("AAA", column: 3)),
            ("sin(A)", .unknownName("sin", column: 1)), ("int8(A)", .unknownName("int8", column: 1)),
            ("2x", .unexpected("2x", column: 1)), ("1.2.3", .unexpected("1.2.3", column: 1)),
            ("1e9", .unexpected("1e9", column: 1)), ("0x", .unexpected("0x", column: 1)),
            ("0x123456789", .unexpected("0x123456789", column: 1)),
            ("A.8", .wrongArguments("a bit from 0 to 7", column: 3)),
            ("{A}", .unexpected("}", column: 3)), ("{A:1", .notClosed(column: 1)), ("A**2", .valueMissing(column: 3)),
            ("int16(A)", .wrongArguments("int16 of 2 bytes, the highest first", column: 1)),
            ("min(A)", .wrongArguments("min(value, value)", column: 1)),
            ("abs(A, B)", .wrongArguments("abs(value)", column: 1)),
            ("bits(0, 49)", .wrongArguments("bits(first, count), count at most 48", column: 1)),
            ("bits(A, 1)", .wrongArguments("a whole number", column: 6)), ("A\u{7}", .unexpected("\\x07", column: 2)),
            ("Ä", .valueMissing(column: 1)), ("A=1", .unexpected("=", column: 2)),
        ] as [(String, FormulaError)]
    )
    func refused(text: String, expected: FormulaError) {
        #expect(throws: expected) { try Formula(text) }
    }

    @Test("A formula beyond the limits of depth, length or size is an error")
    func limits() {
        #expect(throws: Never.self) {
            try Formula(String(repeating: "(", count: 20) + "A" + String(repeating: ")", count: 20))
        }
        for text in [
            String(repeating: "(", count: 200) + "A" + String(repeating: ")", count: 200),
            String(repeating: "-", count: 300) + "A", "A" + String(repeating: "+A", count: 200),
            String(repeating: "A+(", count: 30) + "A" + String(repeating: ")", count: 30),
        ] {
            #expect(throws: FormulaError.self) { try Formula(text) }
        }
        #expect(throws: FormulaError.tooLong(limit: 512)) { try Formula(String(repeating: " ", count: 513)) }
    }

    @Test("Random text is a formula or an error, and a formula gives a finite number or nil", arguments: 1...8)
    func nonsense(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let pieces = [
            "A", "B", "ZZ", "AA", "1", "0.5", "0xFF", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "(", ")", ",",
            "{", "}", ":", ".", "bits(", "signed(", "int16(", "min(", "max(", "abs(", " ", "0", "999999999999", "é",
            "\0",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...14, using: &numbers)).compactMap { _ in
                pieces.randomElement(using: &numbers)
            }
            let data = (0..<Int.random(in: 0...8, using: &numbers)).map { _ in
                UInt8.random(in: 0...255, using: &numbers)
            }
            guard let formula = try? Formula(text.joined()) else { continue }
            let value = formula.evaluate(data.span)
            #expect(value?.isFinite ?? true, "\(formula.text)")
            if formula.byteCount > data.count { #expect(value == nil, "\(formula.text)") }
        }
    }

    @Test("A custom field drops values out of its range and has labels for codes")
    func field() throws {
        let soc = Field(custom: "soc", try Formula("A/2"), symbol: "%", range: 0...100)
        #expect(soc.decode([120].span) == .number(60))
        #expect(soc.decode([201].span) == nil)
        #expect(soc.unit == .percent && soc.symbol == "%" && soc.resolution == 0.001)
        let state = Field(custom: "state", try Formula("A"), labels: [1: "charging"])
        #expect(state.decode([1].span) == .code(1, label: "charging"))
        #expect(state.decode([2].span) == .code(2, label: nil))
        let cell = Field(custom: "cell", try Formula("A/50"), symbol: "furlong", range: 2.8...4.2)
        #expect(cell.unit == nil && cell.symbol == "furlong" && cell.resolution < 0.0001)
    }
}
