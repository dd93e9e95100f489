// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Collect

@Suite("Received numbers")
struct ReceivedTests {
    private func expect(_ received: inout Received, _ number: UInt64, _ arrival: Received.Arrival) {
        let result = received.recordReceived(number)
        #expect(result == arrival)
    }

    @Test("Records in any order leave no hole, and a second copy is a duplicate")
    func order() {
        var received = Received()
        expect(&received, 3, .next)
        #expect(received.holes.description == "1-2")
        expect(&received, 1, .late)
        expect(&received, 3, .duplicate)
        expect(&received, 2, .late)
        #expect(received.holes.isEmpty)
    }

    @Test("A number that is known to exist opens a hole at the end")
    func tail() {
        var received = Received()
        _ = received.recordReceived(1)
        received.factReceived(.exists(4))
        #expect(received.holes.description == "2-4")
        received.factReceived(.exists(2))
        #expect(received.last == 4)
    }

    @Test("Lost numbers are no holes, but a record that comes all the same counts")
    func lost() {
        var received = Received()
        _ = received.recordReceived(5)
        received.factReceived(.lost(NumberSet([2...7])))
        #expect(received.holes.description == "1")
        #expect(received.lost.description == "2-4,6-7")
        expect(&received, 3, .late)
        #expect(received.lost.description == "2,4,6-7")
        expect(&received, 3, .duplicate)
    }

    @Test("What the agent says of its highest number closes what lies above, until more is known to exist")
    func forgedNumber() {
        var received = Received()
        for number: UInt64 in [1, 2, 1_000_000_000_000_000] { _ = received.recordReceived(number) }
        received.factReceived(.reaches(3))
        #expect(received.holes.description == "3")
        expect(&received, 4, .next)
        expect(&received, 3, .late)
        #expect(received.holes.isEmpty)
        received.factReceived(.reaches(6))
        #expect(received.holes.description == "5-6")
        expect(&received, 1_000_000_000_000_000, .duplicate)
    }

    @Test("Too many holes are given up as lost, and a record that comes late is still new")
    func manyHoles() {
        var (received, closed): (Received, UInt64) = (Received(), 0)
        for number in UInt64(1)...12_000 {
            _ = received.recordReceived(number * 2)
            closed += received.reduce()
        }
        #expect(closed == 0)
        #expect(received.holes.ranges.count <= Received.holeLimit)
        #expect(received.holes.count + received.lost.count == 12_000 && received.lost.count > 2000)
        for number in UInt64(1)...12_000 { expect(&received, number * 2 - 1, .late) }
        #expect(received.numbers.description == "1-24000" && received.lost.isEmpty)
    }

    @Test("The rows of vehicles count together, unless a number came for both or came although it was denied")
    func vehicles() throws {
        func row(_ numbers: String, lost: String = "", last: UInt64, ended: Bool = false) throws -> Received {
            var row = Received()
            row.numbers = try #require(NumberSet(numbers))
            row.lost = try #require(NumberSet(lost))
            (row.last, row.isEnded) = (last, ended)
            return row
        }
        let first = try row("1-4,6-9", last: 9)
        // The agent moves into another vehicle, where it says that it does not have 5.
        let second = try row("10-12", lost: "5", last: 12, ended: true)
        #expect(first.joined(by: [second]).holes.isEmpty && first.joined(by: [second]).isEnded)
        #expect(second.joined(by: [first]).holes.isEmpty)
        #expect(second.holes.description == "1-4,6-9")
        for forged in [
            try row("8", last: 8), try row("", lost: "3-500", last: 500), try row("", last: 4, ended: true),
            try row("5,9-20", lost: "1", last: 1 << 53),
        ] {
            #expect(first.contradicts(forged) && forged.contradicts(first))
            #expect(first.joined(by: [forged, second]).holes.isEmpty)
            #expect(first.joined(by: [forged]).holes.description == "5")
            #expect(!first.joined(by: [forged]).isEnded)
        }
        // A far number of another vehicle opens nothing here.
        #expect(first.joined(by: [try row("1000000000000000", last: 1_000_000_000_000_000)]).holes.description == "5")
    }

    @Test("The end of an epoch ends the wait for numbers that were never given")
    func end() {
        var received = Received()
        _ = received.recordReceived(1)
        received.factReceived(.exists(1 << 40))
        received.factReceived(.ended(3))
        #expect(received.holes.description == "2-3")
        #expect(received.isEnded)
    }

    @Test("Requests count until the agent promises records, whatever comes meanwhile")
    func asks() {
        var received = Received()
        _ = received.recordReceived(3)
        received.factReceived(.asked(next: Timestamp(milliseconds: 5)))
        received.factReceived(.asked(next: Timestamp(milliseconds: 9)))
        #expect(received.asks == 2)
        received.factReceived(.released(next: Timestamp(milliseconds: 7)))
        #expect(received.asks == 2)
        #expect(received.nextAsk == Timestamp(milliseconds: 7))
        _ = received.recordReceived(4)
        #expect(received.asks == 2)
        _ = received.recordReceived(1)
        #expect(received.asks == 2)
        received.factReceived(.promised)
        #expect(received.asks == 0)
    }
}
