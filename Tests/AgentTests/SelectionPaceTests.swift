// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Session
import Testing

@testable import Agent

@Suite("The pace of a selection")
struct SelectionPaceTests {
    private static func sample(at milliseconds: Int, ecu: UInt16 = 0x7E8) throws -> Sample {
        let value = try #require(try Parameter.withPID(0x0D)?.decode([50]).first)
        return Sample(value: value, ecu: .can11(ecu), time: MonotonicTime(sinceBoot: .milliseconds(milliseconds)))
    }

    private static func passed(_ times: some Sequence<Int>, every interval: Duration) throws -> [Int] {
        var pace = SelectionPace()
        pace.pollingChanged(hastened: [0x0D])
        pace.selectionChanged(to: Selection(intervals: [0x0D: interval]))
        return try times.filter { pace.passes(try Self.sample(at: $0)) }
    }

    @Test("A value that is read each second is passed on as often as it is selected")
    func thinned() throws {
        let times = stride(from: 0, to: 60_000, by: 1010)
        #expect(try Self.passed(times, every: .seconds(5)).count == 12)
        #expect(try Self.passed(times, every: .milliseconds(1500)).count == 40)
    }

    @Test("A value that is read no more often than it is selected is always passed on", arguments: [0, 3, 90, 700])
    func whole(jitter: Int) throws {
        let times = (0..<200).map { $0 * 1000 + ($0 % 7) * jitter / 7 + $0 * jitter / 100 }
        #expect(try Self.passed(times, every: .seconds(1)) == times)
    }

    @Test("After a restart, and for each ECU, the next value is passed on")
    func restart() throws {
        var pace = SelectionPace()
        pace.pollingChanged(hastened: [0x0D])
        pace.selectionChanged(to: Selection(intervals: [0x0D: .seconds(60)]))
        #expect(pace.passes(try Self.sample(at: 0)))
        #expect(!pace.passes(try Self.sample(at: 1000)))
        #expect(pace.passes(try Self.sample(at: 1000, ecu: 0x7E9)))
        pace.restart()
        #expect(pace.passes(try Self.sample(at: 2000)))
    }

    @Test("A value that is polled as often as it is selected is never thinned")
    func asSelected() throws {
        var pace = SelectionPace()
        pace.selectionChanged(to: Selection(intervals: [0x0D: .seconds(1)]))
        for time in [0, 10, 20, 400] { #expect(pace.passes(try Self.sample(at: time))) }
    }
}
