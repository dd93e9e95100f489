// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import Testing

@Suite("Parameters that are polled faster for a while")
struct SelectionStateTests {
    private static func at(_ seconds: Int) -> MonotonicTime { .zero + .seconds(seconds) }

    @Test("They are polled at the shorter interval, and no selection changes")
    func hasten() {
        let lasting = Selection(version: 3, intervals: [0x0C: .milliseconds(100), 0x0D: .seconds(1)])
        var state = SelectionState(lasting)
        state.hasten([0x0C, 0x0D, 0x05], every: .milliseconds(200), for: .seconds(30), at: .zero)
        #expect(state.lasting == lasting && state.current == lasting)
        #expect(
            state.polled.intervals
                == [0x0C: .milliseconds(100), 0x0D: .milliseconds(200), 0x05: .milliseconds(200)]
        )
        #expect(state.expiry == Self.at(30))
        let before = state.endHaste(at: Self.at(29))
        let after = state.endHaste(at: Self.at(30))
        #expect(!before && after)
        #expect(state.polled == lasting && state.expiry == nil)
    }

    @Test("A temporary selection ends at its own time")
    func temporary() {
        var state = SelectionState(Selection(intervals: [0x0C: .seconds(1)]))
        state.select(Selection(intervals: [0x0D: .seconds(1)]), for: .seconds(10), at: .zero)
        state.hasten([0x0C], every: .milliseconds(200), for: .seconds(30), at: .zero)
        #expect(state.expiry == Self.at(10))
        let hasExpired = state.expire(at: Self.at(10))
        #expect(hasExpired && state.expiry == Self.at(30))
        #expect(state.polled.intervals == [0x0C: .milliseconds(200)])
    }
}
