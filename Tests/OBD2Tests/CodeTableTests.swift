// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OBD2

@Suite("The tables of code meanings")
struct CodeTableTests {
    private static let tables: [(range: UInt8, lines: [Substring])] = (0...255 as ClosedRange<UInt8>).compactMap {
        range in CodeTable.table(of: range).map { (range, $0.split(separator: "\n", omittingEmptySubsequences: false)) }
    }

    /// Returns the last two digits of the codes for which a line has a meaning.
    private static func numbers(_ line: Substring) -> [UInt8] {
        guard let line = CodeTable.Line(line.utf8) else { return [] }
        return (0...255 as ClosedRange<UInt8>).filter { line.meaning(of: $0) != nil }
    }

    @Test("Each line has meanings for the declared number of codes, beginning with its first code")
    func complete() throws {
        #expect(Self.tables.count == 36)
        for (range, lines) in Self.tables {
            for line in lines {
                let parts = line.split(separator: " ")
                let code = try #require(DTC(String(parts[0].prefix(5))))
                let conditions = try #require(parts[1].split(separator: "*").first).filter { $0 != "-" }
                let letters = parts[1].filter { $0 != "/" }
                #expect(conditions.allSatisfy { CodeTable.Condition.allCases.map(\.letter).contains($0) }, "\(line)")
                let ends = letters.contains("*") ? parts[1].split(separator: "*")[1].split(separator: "/")[0] : "1"
                let limits = ends.split(separator: ".").map { Int($0) ?? Int($0.utf8.first ?? 0) }
                let count = limits.count == 2 ? limits[1] - limits[0] + 1 : limits[0]
                let numbers = Self.numbers(line)
                #expect(UInt8(code.rawValue >> 8) == range, "\(line)")
                #expect(numbers.count == count * conditions.count, "\(line)")
                #expect(numbers.first == UInt8(truncatingIfNeeded: code.rawValue), "\(line)")
                #expect((count > 1) == line.contains("#"), "\(line)")
            }
        }
    }

    @Test("No code is in two lines, and the lines are in the order of their codes")
    func disjoint() {
        for (range, lines) in Self.tables {
            var seen: Set<UInt8> = []
            for line in lines {
                for number in Self.numbers(line) {
                    #expect(seen.insert(number).inserted, "\(range) \(number): \(line)")
                }
            }
            #expect(lines.map { $0.prefix(5) } == lines.map { $0.prefix(5) }.sorted())
        }
    }

    @Test(
        "A malformed line has no meanings",
        arguments: [
            "", " ", "P0301", "P0301 .", "P0301 . ", "P03XX . Words", "P0301 .*0 Words #", "P0301 .*B..A Words #",
            "P0301 .*1../ Words", "P0301 .*12/0 Words #", "P0301 .*12/x Words #", "P0301 *12 Words #",
            "P0301 .*999 Words #", "P0301 ? Words",
        ]
    )
    func malformed(_ line: String) {
        #expect(Self.numbers(line[...]).isEmpty)
    }

    @Test("Repetitions count in decimal or hexadecimal, from any first number, with gaps between them")
    func counting() {
        #expect(Self.numbers("P0309 .*3 Cylinder #") == [0x09, 0x10, 0x11])
        #expect(Self.numbers("P0309x .*3 Cylinder #") == [0x09, 0x0A, 0x0B])
        #expect(Self.numbers("P030A .*3 Cylinder #") == [0x0A, 0x0B, 0x0C])
        #expect(Self.numbers("P0398 lh*2/3 Cylinder #") == [0x98, 0x99])
        #expect(Self.numbers("P0310 l-h Sensor") == [0x10, 0x12])
        #expect(CodeTable.meaning(of: 0x14, in: "P0310 .*4..6/2 Cylinder #") == "Cylinder 6")
        #expect(CodeTable.meaning(of: 0x13, in: "P0310 lh*C..D Sensor #") == "Sensor D: circuit high")
        #expect(CodeTable.meaning(of: 0x11, in: "P0310 . One\nP0311 . Two") == "Two")
    }
}

extension CodeTable.Condition {
    fileprivate var letter: Character { Character(UnicodeScalar(self.rawValue)) }
}
