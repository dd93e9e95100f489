// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import SQLite
import Store
import TestSupport
import Testing

@testable import Store

@Suite("The journal of commands, and wrong clocks")
struct CommandJournalTests {
    private static let day = Duration.seconds(86_400)

    /// Returns the date of the current boot by a clock with an error.
    private static func start(_ error: Duration = .zero) -> BootStart {
        BootStart(date: Bench.start.date + Self.day * 1000 + error, quality: .synchronised)
    }

    /// Writes a command that was run, and notes the date.
    private static func obey(
        _ id: String,
        _ store: Store,
        at seconds: Int,
        _ start: BootStart,
        until date: Timestamp? = nil
    ) async {
        let now = MonotonicTime(sinceBoot: .seconds(seconds))
        await store.remember(
            CommandEntry(
                id: id,
                at: now,
                until: date,
                state: .succeeded,
                response: [1],
                destination: .init(vehicle: "van")
            )
        )
        await store.flush(.init(now: now, start: start))
    }

    @Test("A clock that jumps ahead and back deletes nothing from the journal", arguments: [40, 10_000])
    func jump(days: Int) async throws {
        let bench = try Bench()
        let first = bench.store()
        _ = await first.open(at: .zero)
        for (number, seconds) in [0, 900].enumerated() {
            let until = Self.start().date + .seconds(seconds + 3600)
            await Self.obey("obeyed-\(number)", first, at: seconds, Self.start(), until: until)
        }
        let store = bench.store(boot: "next")
        _ = await store.open(at: .zero)
        let start = Self.start(.seconds(1000))
        // The clock is wrong for ten minutes at most.
        for seconds in [20, 610] {
            let wrong = BootStart(date: start.date + Self.day * days, quality: .synchronised)
            await Self.obey("\(seconds)", store, at: seconds, wrong)
        }
        await Self.obey("back", store, at: 630, start)
        for id in ["obeyed-0", "obeyed-1"] { #expect(try await store.response(to: id) == [1], "\(id)") }
    }

    @Test("A clock that jumps back deletes nothing of the current boot from the journal")
    func jumpBack() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        let until = Self.start().date + .seconds(3600)
        for seconds in [0, 900] { await Self.obey("\(seconds)", store, at: seconds, Self.start(), until: until) }
        await Self.obey("wrong", store, at: 1000, Self.start(Self.day * -40), until: until)
        #expect(try await store.response(to: "0") == [1])
    }

    @Test("The date by which the journal deletes a command is known to the next process")
    func forgetsTogether() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        await Self.obey("old", store, at: 0, Self.start(), until: Self.start().date + .seconds(3600))
        let days = 31 * 86_400
        for seconds in [days, days + 600] { await Self.obey("\(seconds)", store, at: seconds, Self.start()) }
        #expect(try await store.response(to: "old") == nil)
        // The power is cut, and the clock shows the time of the command again.
        let copy = try bench.copy()
        let next = copy.store(boot: "next")
        _ = await next.open(at: .zero)
        let latest = await next.latestDate(at: MonotonicTime(sinceBoot: .seconds(60)), Self.start())
        #expect(latest.map { $0 >= Self.start().date + Self.day * 31 } == true)
    }

    @Test("A full journal deletes nothing by a date that is wrong for a moment")
    func full() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        let until = Self.start().date + .seconds(3600)
        for number in 0..<10_000 {
            await store.remember(
                CommandEntry(
                    id: "\(number)",
                    at: .zero,
                    until: until,
                    state: .succeeded,
                    response: [1],
                    destination: .init(vehicle: "van")
                )
            )
        }
        for seconds in [0, 900] {
            await store.flush(.init(now: .init(sinceBoot: .seconds(seconds)), start: Self.start()))
        }
        _ = await store.latestDate(at: .init(sinceBoot: .seconds(1000)), Self.start(Self.day * 40))
        #expect(await store.hasRoomForCommand == false)
        await Self.obey("loose", store, at: 1010, Self.start(Self.day * 40))
        #expect(try await store.response(to: "0") == [1])
        #expect(try await store.response(to: "loose") == nil)
    }

    @Test("The start of the journal is corrected after a date that was wrong for a moment")
    func beginning() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        await Self.obey("ahead", store, at: 0, Self.start(Self.day * 40))
        for seconds in [60, 700] { await Self.obey("\(seconds)", store, at: seconds, Self.start()) }
        let begins = await store.journalStart(Self.start())
        #expect(begins == Self.start().date + .seconds(700))
        // A right start stays, whatever the clock shows for a moment.
        for error in [Self.day * -40, Self.day * 40] {
            await Self.obey("\(error)", store, at: 710, Self.start(error))
            #expect(await store.journalStart(Self.start()) == begins)
        }
    }

    // MARK: - The latest date

    @Test("The latest date survives the process, whatever the clock of the next one")
    func persists() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        for seconds in [0, 900] {
            await store.flush(.init(now: .init(sinceBoot: .seconds(seconds)), start: Self.start()))
        }
        await store.saveLast(at: .init(sinceBoot: .seconds(1100)), Self.start())
        let next = bench.store(boot: "next")
        _ = await next.open(at: .zero)
        for error in [Duration.zero, Self.day * -30, Self.day * 30] {
            #expect(await next.latestDate(at: .zero, Self.start(error)) == Self.start().date + .seconds(1100))
        }
    }

    @Test("Without other data, the latest date costs a commit an hour")
    func commits() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        var dates: Set<Timestamp> = []
        for seconds in stride(from: 0, through: 7200, by: 30) {
            await store.flush(.init(now: .init(sinceBoot: .seconds(seconds)), start: Self.start()))
            if let date = try MetaTable(database: Database(bench.path, .readOnly)).dates()?.latest {
                dates.insert(date)
            }
        }
        #expect(dates == [Self.start().date + .seconds(600), Self.start().date + .seconds(4200)])
    }

    @Test("The running agent adopts a reset of the dates, and the journal starts again")
    func reset() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        let wrong = Self.start(Self.day * 40)
        for seconds in [0, 900] { await Self.obey("\(seconds)", store, at: seconds, wrong) }
        let now = Self.start().date + .seconds(1000)
        #expect(await store.latestDate(at: .init(sinceBoot: .seconds(1000)), Self.start()).map { $0 > now } == true)
        let recording = try Recording(in: bench.directory.path)
        #expect(try recording.latestDate() == wrong.date + .seconds(900))
        try recording.resetDates(to: now)
        #expect(await store.latestDate(at: .init(sinceBoot: .seconds(1010)), Self.start()) == now)
        #expect(await store.journalStart(Self.start()) == now)
        // A later write does not undo the reset.
        await Self.obey("later", store, at: 1020, Self.start())
        #expect(try recording.latestDate() == now)
    }

    // MARK: - Bounds

    @Test("The journal deletes commands older than 30 days, and the oldest beyond its limit")
    func journal() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        let old = MonotonicTime(sinceBoot: .zero)
        await store.remember(
            CommandEntry(id: "old", at: old, state: .succeeded, response: [1], destination: .init(vehicle: "van"))
        )
        await store.save()
        for (days, found) in [(29, true), (31, false)] {
            let now = old + .seconds(days * 86_400)
            _ = await store.latestDate(at: now, Bench.start)
            await store.remember(
                CommandEntry(
                    id: "\(days)",
                    at: now,
                    state: .succeeded,
                    response: [2],
                    destination: .init(vehicle: "van")
                )
            )
            await store.flush(.init(now: now, start: Bench.start))
            #expect((try await store.response(to: "old") != nil) == found)
        }
        for number in 0..<10_001 {
            let now = old + .seconds(31 * 86_400 + number)
            await store.remember(
                CommandEntry(
                    id: "n\(number)",
                    at: now,
                    state: .succeeded,
                    response: [3],
                    destination: .init(vehicle: "van")
                )
            )
        }
        await store.save()
        #expect(try await store.response(to: "n0") == nil)
        #expect(try await store.response(to: "29") == nil)
        #expect(try await store.response(to: "n1") == [3])
    }

    @Test(
        "A full journal first deletes commands that may run again, and refuses more of the others"
    )
    func pinnedCommands() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        let now = Bench.start.date
        func entry(_ id: String, until date: Timestamp?) -> CommandEntry {
            CommandEntry(
                id: id,
                at: .zero,
                until: date,
                state: .succeeded,
                response: [1],
                destination: .init(vehicle: "van")
            )
        }
        #expect(await store.hasRoomForCommand)
        for number in 0..<9_990 { await store.remember(entry("pinned-\(number)", until: now + .seconds(3600))) }
        await store.save()
        // A later response keeps the date.
        await store.remember(entry("pinned-0", until: nil))
        for number in 0..<50 { await store.remember(entry("loose-\(number)", until: nil)) }
        for number in 0..<10 { await store.remember(entry("last-\(number)", until: now + .seconds(3600))) }
        #expect(await store.hasRoomForCommand == false)
        await store.save()
        #expect(await store.hasRoomForCommand == false)
        for id in ["pinned-0", "pinned-9989", "last-9"] { #expect(try await store.response(to: id) != nil, "\(id)") }
        #expect(try await store.response(to: "loose-0") == nil)
        // Expired commands make room.
        for seconds in [0, 3601] {
            _ = await store.latestDate(at: MonotonicTime(sinceBoot: .seconds(seconds)), Bench.start)
        }
        #expect(await store.hasRoomForCommand)
    }

    @Test("The journal starts with its file, and keeps its start over restarts")
    func journalBegins() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: MonotonicTime(sinceBoot: .seconds(5)))
        let start = BootStart(date: Timestamp(milliseconds: 1_000_000), quality: .synchronised)
        #expect(await store.journalStart(start) == Timestamp(milliseconds: 1_005_000))
        await store.append(1, to: .events)
        await store.flush(Store.FlushContext(now: .zero, start: start))
        let copy = try bench.copy()
        let next = copy.store()
        _ = await next.open(at: MonotonicTime(sinceBoot: .seconds(700)))
        let begins = await next.journalStart(start)
        #expect(begins == Timestamp(milliseconds: 1_005_000))
        // A journal in memory has no earlier commands to lose.
        let memory = Store(.init(agent: "a", boot: "b", firstEpoch: 1))
        _ = await memory.open(at: .zero)
        #expect(await memory.journalStart(start) == nil)
    }
}
