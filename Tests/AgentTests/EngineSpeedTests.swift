// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ELM327
import OBD2
import Testing

@Suite("The engine speed in the answers of a vehicle")
struct EngineSpeedTests {
    private static func speed(_ answers: [ECUReply], _ dialect: Dialect) -> Double? {
        let byECU = answers.enumerated().map { (ECUAddress.can11(0x7E8 + UInt16($0)), $1) }
        return EngineSpeed.highest(in: .answered(Dictionary(uniqueKeysWithValues: byECU)), dialect)
    }

    @Test("The highest speed counts, in the dialect of the vehicle; an identifier is no part of the value")
    func dialects() {
        #expect(Self.speed([.positive([[0x41, 0x0C, 0x0C, 0x80]])], .j1979) == 800)
        #expect(Self.speed([.positive([[0x41, 0x0C, 0, 0]]), .positive([[0x41, 0x0C, 0x0C, 0x80]])], .j1979) == 800)
        #expect(Self.speed([.positive([[0x41, 0x0C, 0, 0]])], .j1979) == 0)
        #expect(Self.speed([.positive([[0x62, 0xF4, 0x0C, 0, 0]])], .j1979Part2) == 0)
        #expect(Self.speed([.positive([[0x62, 0xF4, 0x0C, 0x0C, 0x80]])], .j1979Part2) == 800)
    }

    @Test("What is no valid speed counts as none")
    func invalid() {
        #expect(Self.speed([.negative(0x12)], .j1979) == nil)
        #expect(Self.speed([.positive([[0x41, 0x0C]])], .j1979) == nil)
        #expect(Self.speed([.positive([[0x41, 0x0C, 0x0C, 0x80]])], .j1979Part2) == nil)
        #expect(EngineSpeed.highest(in: .noData, .j1979) == nil)
    }
}
