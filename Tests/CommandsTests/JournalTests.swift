// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Base
import Synchronization
import Testing

@testable import Commands

@Suite("The journal of commands, and what it can answer for")
struct JournalTests {
    @Test("What changes the vehicle is not obeyed where nobody could tell later that it was")
    func unkept() async throws {
        let bench = Bench()
        bench.problem.withLock { $0 = "the disk is full" }
        await bench.executor().receive(try bench.message("clear_codes", #"{"confirm": "all"}"#))
        #expect(bench.states == [.accepted, .refused] && bench.last?.reason == .notKept)
        #expect(bench.vehicle.asked.isEmpty)
        await bench.executor().receive(try bench.message("read_codes", id: "2"))
        #expect(bench.last?.state == .succeeded)
    }

    @Test("What changes the vehicle is not obeyed where nobody can tell whether it was; what reads is")
    func unreadable() async throws {
        let bench = Bench()
        await bench.journal.turn(JournalReach(begins: nil, hasRoom: true), isReadable: false)
        await bench.executor().receive(try bench.message("clear_codes", #"{"confirm": "all"}"#))
        #expect(bench.states == [.refused] && bench.last?.reason == .notKept && bench.vehicle.asked.isEmpty)
        await bench.executor().receive(try bench.message("read_codes", id: "2"))
        #expect(bench.last?.state == .succeeded)
    }

    @Test("What was issued before the journal began may have been obeyed by whoever lost it")
    func beforeJournal() async throws {
        let bench = Bench()
        await bench.journal.turn(JournalReach(begins: bench.clock.timestamp + .seconds(6), hasRoom: true))
        await bench.executor().receive(try bench.message("clear_codes", #"{"confirm": "all"}"#))
        #expect(bench.states == [.refused] && bench.last?.reason == .beforeJournal && bench.vehicle.asked.isEmpty)
        await bench.executor().receive(try bench.message("read_codes", id: "2"))
        #expect(bench.last?.state == .succeeded)
    }

    @Test("What was kept back until the clock was set back is not obeyed, and the answer says what to do")
    func setBack() async throws {
        let bench = Bench()
        await bench.journal.turn(
            JournalReach(begins: nil, hasRoom: true, latest: bench.clock.timestamp + .seconds(30 * 86_400))
        )
        await bench.executor().receive(try bench.message("clear_codes", #"{"confirm": "all"}"#))
        #expect(bench.states == [.refused] && bench.last?.reason == .clockUnknown && bench.vehicle.asked.isEmpty)
        #expect(bench.last?.message?.contains("obd-agent clock") == true)
        await bench.executor().receive(try bench.message("read_codes", id: "2"))
        #expect(bench.last?.state == .succeeded)
    }

    @Test("A journal full of what may come back takes no more of that, and does not use the id up")
    func fullJournal() async throws {
        let bench = Bench()
        let executor = bench.executor()
        await bench.journal.turn(JournalReach(begins: nil, hasRoom: false))
        let message = try bench.message("clear_codes", #"{"confirm": "all"}"#)
        await executor.receive(message)
        #expect(bench.states == [.refused] && bench.last?.reason == .rateLimited)
        await bench.journal.turn(JournalReach(begins: nil, hasRoom: true))
        await executor.receive(message)
        #expect(bench.last?.repeat == false && bench.states.contains(.accepted))
    }

    @Test(
        "What may not be obeyed again is not forgotten before it has expired; what reads, and what was for others, may be"
    )
    func pinned() async throws {
        let bench = Bench()
        let executor = bench.executor()
        await executor.receive(try bench.message("clear_codes", #"{"confirm": "all"}"#))
        await executor.receive(try bench.message("read_codes", id: "2"))
        await executor.receive(try bench.message("clear_codes", #"{"confirm": "all"}"#, id: "3", vehicle: "other"))
        let dates = await bench.journal.dates
        #expect(Set(dates.keys) == ["1"])
        #expect(dates["1"].map { $0 > bench.clock.timestamp + .seconds(60) } == true)
    }

    @Test("A command waits while the vehicle is being identified, and is judged by what that comes to")
    func comesWithTheVehicle() async throws {
        let bench = Bench()
        let executor = bench.executor()
        bench.coming.withLock { $0 = 20 }
        await executor.receive(try bench.message("read_codes"))
        #expect(bench.states == [.accepted, .succeeded] && bench.coming.withLock { $0 } == 0)
        // Not for ever.
        bench.coming.withLock { $0 = 1_000_000 }
        let start = bench.clock.now
        await executor.receive(try bench.message("read_codes", id: "2"))
        #expect(bench.last?.reason == .expired)
        #expect((.seconds(55)...(.seconds(65))).contains(bench.clock.now - start))
    }
}
