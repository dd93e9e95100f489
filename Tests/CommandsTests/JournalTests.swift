// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Synchronization
import Testing

@testable import Commands

@Suite("The journal of commands")
struct JournalTests {
    @Test("A command that writes does not run if the journal cannot be written")
    func unkept() async throws {
        let bench = Bench()
        bench.problem.withLock { $0 = "the disk is full" }
        await bench.executor().receive(try bench.message("clear_codes", #"{"confirm": "all"}"#))
        #expect(bench.states == [.accepted, .refused] && bench.last?.reason == .notKept)
        #expect(bench.vehicle.asked.isEmpty)
        await bench.executor().receive(try bench.message("read_codes", id: "2"))
        #expect(bench.last?.state == .succeeded)
    }

    @Test("A command that writes does not run if the journal cannot be read; one that reads does")
    func unreadable() async throws {
        let bench = Bench()
        await bench.journal.turn(JournalReach(begins: nil, hasRoom: true), isReadable: false)
        await bench.executor().receive(try bench.message("clear_codes", #"{"confirm": "all"}"#))
        #expect(bench.states == [.refused] && bench.last?.reason == .notKept && bench.vehicle.asked.isEmpty)
        await bench.executor().receive(try bench.message("read_codes", id: "2"))
        #expect(bench.last?.state == .succeeded)
    }

    @Test("A command from before the beginning of the journal is refused, because it may have run already")
    func beforeJournal() async throws {
        let bench = Bench()
        await bench.journal.turn(JournalReach(begins: bench.clock.timestamp + .seconds(6), hasRoom: true))
        await bench.executor().receive(try bench.message("clear_codes", #"{"confirm": "all"}"#))
        #expect(bench.states == [.refused] && bench.last?.reason == .beforeJournal && bench.vehicle.asked.isEmpty)
        await bench.executor().receive(try bench.message("read_codes", id: "2"))
        #expect(bench.last?.state == .succeeded)
    }

    @Test("A command that was held back until the clock was set back is refused, with advice")
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

    @Test("A journal full of commands that have not expired accepts no more, and does not use up their ids")
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
        "The journal keeps commands that write until they expire; it may forget those that read or are for others"
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

    @Test("A command waits until the vehicle is identified, or until the command expires")
    func comesWithTheVehicle() async throws {
        let bench = Bench()
        let executor = bench.executor()
        let start = bench.clock.now
        bench.isComing.withLock { $0 = true }
        bench.clock.isPaused.withLock { $0 = true }
        let accepted = try #require(await executor.judge(try bench.message("read_codes")))
        await withTaskGroup { group in
            group.addTask { await executor.execute(accepted) }
            // The first change is not the identification yet.
            await executor.vehicleChanged()
            await Task.yield()
            bench.isComing.withLock { $0 = false }
            await executor.vehicleChanged()
        }
        #expect(bench.states == [.accepted, .succeeded] && bench.clock.now == start)
        // The wait ends with the command.
        bench.isComing.withLock { $0 = true }
        bench.clock.isPaused.withLock { $0 = false }
        await executor.receive(try bench.message("read_codes", id: "2"))
        #expect(bench.last?.reason == .expired)
        #expect((.seconds(55)...(.seconds(65))).contains(bench.clock.now - start))
    }

    @Test("What asks no vehicle runs at once if it names the topics in use, and waits if it names another vehicle")
    func namesAnother() async throws {
        let bench = Bench()
        let executor = bench.executor()
        let start = bench.clock.now
        bench.isComing.withLock { $0 = true }
        await executor.receive(try bench.message("describe", audience: "van"))
        #expect(bench.last?.state == .succeeded && bench.clock.now == start)

        bench.clock.isPaused.withLock { $0 = true }
        let accepted = try #require(
            await executor.judge(try bench.message("describe", id: "2", audience: "ZZZSMVLATR4700894"))
        )
        await withTaskGroup { group in
            group.addTask { await executor.execute(accepted) }
            bench.isComing.withLock { $0 = false }
            await executor.vehicleChanged()
        }
        #expect(bench.last?.state == .refused && bench.last?.reason == .wrongVehicle)

        bench.isComing.withLock { $0 = true }
        bench.clock.isPaused.withLock { $0 = false }
        await executor.receive(try bench.message("describe", id: "3", audience: "ZZZSMVLATR4700894"))
        #expect(bench.last?.state == .refused && bench.last?.reason == .vehicleUnknown)
    }
}
