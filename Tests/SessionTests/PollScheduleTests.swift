// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import Session
import TestSupport
import Testing

@Suite("What to ask next")
struct PollScheduleTests {
    private static func at(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(sinceBoot: .milliseconds(milliseconds))
    }

    /// Runs the schedule with requests that take `cost`, and returns their times by parameter, all in milliseconds.
    private static func run(
        _ schedule: inout PollSchedule,
        from start: Int = 0,
        for duration: Int,
        cost: Int,
        answers: (PollItem) -> Bool = { _ in true }
    ) -> [PollItem: [Int]] {
        var asked: [PollItem: [Int]] = [:]
        var now = start
        while now < start + duration {
            switch schedule.next(at: Self.at(now)) {
            case .ask(let item):
                asked[item, default: []].append(now)
                schedule.asked(item, at: Self.at(now))
                schedule.answered(item, answers(item))
                now += cost
            case .wait(let due): now = max(now + 1, Int(due.sinceBoot.milliseconds))
            case .idle: return asked
            }
        }
        return asked
    }

    @Test("Intervals are kept where the link can carry them")
    func kept() {
        var schedule = PollSchedule([0x0C: .milliseconds(500), 0x0D: .seconds(1), 0x05: .seconds(10)])
        let asked = Self.run(&schedule, for: 100_000, cost: 90)
        #expect((199...201).contains(asked[0x0C]?.count ?? 0))
        #expect((99...101).contains(asked[0x0D]?.count ?? 0))
        #expect((10...11).contains(asked[0x05]?.count ?? 0))
        #expect(schedule.achieved { _ in .milliseconds(90) }[0x0D] == .seconds(1))
    }

    @Test("A link that cannot carry the wish stretches all intervals alike", arguments: 0..<10)
    func fair(seed: UInt64) throws {
        var numbers = SeededNumbers(seed)
        var intervals: [PollItem: Int] = [:]
        for _ in 0..<Int.random(in: 2...12, using: &numbers) {
            let pid = PID(rawValue: .random(in: 1...0x5F, using: &numbers))
            intervals[.pid(pid)] = .random(in: 100...3000, using: &numbers)
        }
        let wish = intervals.values.reduce(0) { $0 + 1 / Double($1) }
        // The wish is twice as much as the link can carry.
        let cost = Int(2 / wish)
        var schedule = PollSchedule(intervals.mapValues { .milliseconds($0) })
        let asked = Self.run(&schedule, for: 1000 * cost, cost: cost)
        let achieved = schedule.achieved { _ in .milliseconds(cost) }
        for (pid, interval) in intervals {
            let times = try #require(asked[pid])
            try #require(times.count > 2)
            let mean = Double((times.last ?? 0) - (times.first ?? 0)) / Double(times.count - 1)
            #expect((1.5...2.5).contains(mean / Double(interval)), "\(pid): \(interval) became \(mean)")
            // The interval that the schedule predicts is roughly the measured one.
            let told = Double(try #require(achieved[pid]).milliseconds)
            #expect((0.75...1.25).contains(mean / told), "\(pid): told \(told), became \(mean)")
        }
    }

    @Test("A parameter that is never answered is asked three times, then once a minute, and counts as dead")
    func dead() {
        var schedule = PollSchedule([0x0C: .milliseconds(500), 0x0D: .milliseconds(500)])
        var asked = Self.run(&schedule, for: 60_000, cost: 50) { $0 == 0x0C }
        #expect(asked[0x0D]?.count == 3)
        #expect(schedule.dead == [0x0D])
        asked = Self.run(&schedule, from: 60_000, for: 600_000, cost: 50) { $0 == 0x0C }
        #expect((9...11).contains(asked[0x0D]?.count ?? 0))
        // Once the parameter answers, the schedule treats it like any other.
        asked = Self.run(&schedule, from: 660_000, for: 120_000, cost: 50)
        #expect((asked[0x0D]?.count ?? 0) > 100)
        #expect(schedule.dead.isEmpty)
    }

    @Test("A failure now and then does not make a parameter dead")
    func nowAndThen() {
        var schedule = PollSchedule([0x0C: .milliseconds(500)])
        var count = 0
        let asked = Self.run(&schedule, for: 60_000, cost: 50) { _ in
            count += 1
            return count.isMultiple(of: 3)
        }
        #expect((118...121).contains(asked[0x0C]?.count ?? 0))
    }

    @Test("Another selection keeps the place of what stays, and asks what is new first")
    func reselect() {
        var schedule = PollSchedule([0x0C: .seconds(10), 0x0D: .seconds(10)])
        _ = Self.run(&schedule, for: 1000, cost: 100)
        schedule.select([0x0C: .seconds(10), 0x05: .seconds(10)])
        #expect(schedule.next(at: Self.at(1000)) == .ask(0x05))
        schedule.asked(0x05, at: Self.at(1000))
        // PID 0C was requested at 0, and its interval still runs.
        #expect(schedule.next(at: Self.at(1000)) == .wait(until: Self.at(10_000)))
        schedule.select([:])
        #expect(schedule.next(at: Self.at(1000)) == .idle)
        // The schedule ignores the answer to a request from before the change.
        schedule.answered(0x0C, false)
        schedule.asked(0x0C, at: Self.at(1000))
        #expect(schedule.dead.isEmpty)
    }

    @Test("After a long silence nothing is asked twice to make up for it")
    func noBurst() {
        var schedule = PollSchedule([0x0C: .seconds(1)])
        _ = Self.run(&schedule, for: 3000, cost: 10)
        let asked = Self.run(&schedule, from: 100_000, for: 1500, cost: 10)
        #expect(asked[0x0C]?.count == 2)
    }
}
