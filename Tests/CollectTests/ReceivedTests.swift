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
        #expect(!received.hasHoles)
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

    @Test("The end of an epoch ends the wait for numbers that were never given")
    func end() {
        var received = Received()
        _ = received.recordReceived(1)
        received.factReceived(.exists(1 << 40))
        received.factReceived(.ended(3))
        #expect(received.holes.description == "2-3")
        #expect(received.isEnded)
    }

    @Test("Requests count until a missing record comes")
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
        #expect(received.asks == 0)
    }
}
