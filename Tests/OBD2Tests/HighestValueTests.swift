// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@Suite("The highest value of all ECUs")
struct HighestValueTests {
    private static func speed(_ answers: [[UInt8]], _ dialect: Dialect = .j1979) -> Double? {
        HighestValue(of: 0x0C, in: answers.map { [$0] }, dialect).number
    }

    @Test("The highest value counts, in the dialect of the vehicle; an identifier is no part of the value")
    func dialects() {
        #expect(Self.speed([[0x41, 0x0C, 0x0C, 0x80]]) == 800)
        #expect(Self.speed([[0x41, 0x0C, 0, 0], [0x41, 0x0C, 0x0C, 0x80]]) == 800)
        #expect(Self.speed([[0x41, 0x0C, 0, 0]]) == 0)
        #expect(Self.speed([[0x62, 0xF4, 0x0C, 0, 0]], .j1979Part2) == 0)
        #expect(Self.speed([[0x62, 0xF4, 0x0C, 0x0C, 0x80]], .j1979Part2) == 800)
    }

    @Test("An answer without a valid value counts as none, and is told")
    func invalid() {
        #expect(Self.speed([]) == nil)
        #expect(Self.speed([[0x41, 0x0C]]) == nil)
        #expect(Self.speed([[0x41, 0x0C, 0x0C, 0x80]], .j1979Part2) == nil)
        let mixed = HighestValue(of: 0x0C, in: [[[0x41, 0x0C, 0x0C, 0x80]], [[0x41, 0x0C, 0x0C]]])
        #expect(mixed.number == 800 && mixed.hasInvalid)
        #expect(!HighestValue(of: 0x0D, in: [[[0x41, 0x0D, 0]]]).hasInvalid)
    }
}
