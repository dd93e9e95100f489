// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Store
import Testing

@testable import Uplink

@Suite("The data budget of a day")
struct DailyBudgetTests {
    private static func at(hours: Double) -> MonotonicTime {
        MonotonicTime(sinceBoot: .milliseconds(Int(hours * 3_600_000)))
    }

    /// Returns the bytes of the day after each step: hours since the start, the date, bytes.
    private static func sent(_ steps: [(Double, Int64?, Int)]) -> [Int] {
        var budget = DailyBudget(limit: 1000, at: .zero)
        return steps.map { hours, date, bytes in
            budget.add(bytes, at: Self.at(hours: hours), on: date)
            return budget.sent
        }
    }

    @Test(
        "Live values are slowed from 75 % on, samples thinned from 90 % on, and both end at 95 %",
        arguments: [
            (0, .normal), (749, .normal), (750, .slowed), (899, .slowed), (900, .thinned), (949, .thinned),
            (950, .exhausted), (5000, .exhausted),
        ] as [(Int, BudgetLevel)]
    )
    func levels(bytes: Int, level: BudgetLevel) {
        var budget = DailyBudget(limit: 1000, at: .zero)
        budget.add(bytes, at: .zero, on: 20_000)
        #expect(budget.level == level)
        var unlimited = DailyBudget(limit: nil, at: .zero)
        unlimited.add(bytes, at: .zero, on: 20_000)
        #expect(unlimited.level == .normal && unlimited.sent == bytes)
    }

    @Test("Each midnight of UTC begins a new day")
    func midnight() {
        #expect(Self.sent([(0, 5, 10), (0.4, 5, 10), (0.5, 6, 1), (24.4, 6, 1), (24.5, 7, 3)]) == [10, 20, 1, 2, 3])
        var budget = DailyBudget(limit: 1000, at: .zero)
        for hour in 0..<(365 * 24) {
            budget.add(50, at: Self.at(hours: Double(hour)), on: Int64(20_000 + hour / 24))
            #expect(budget.sent == (hour % 24 + 1) * 50)
            #expect((budget.level == .exhausted) == (hour % 24 >= 18))
        }
    }

    @Test("Bytes that were sent before the date was known count as today's")
    func dateComesLate() {
        #expect(Self.sent([(0, nil, 10), (1, nil, 10), (2, 20_000, 5), (3, 20_001, 1)]) == [10, 20, 25, 1])
    }

    @Test("Without a date a day is 24 hours from the start")
    func noDate() {
        #expect(Self.sent([(0, nil, 1), (23.9, nil, 1), (24, nil, 1), (47, nil, 1), (48, nil, 1)]) == [1, 2, 1, 2, 1])
    }

    @Test("A clock that is set back, over midnight, by 50 years, or to and fro, gives no second budget")
    func clockSteps() {
        // Midnight passes, the clock is set back, and midnight passes again.
        #expect(
            Self.sent([(0, 5, 9), (2, 6, 1), (2.1, 5, 1), (2.2, 6, 1), (2.3, 5, 1), (2.4, 6, 1)]) == [9, 1, 2, 3, 4, 5]
        )
        // A clock 50 years behind begins no day. The next midnight begins one.
        #expect(Self.sent([(0, 20_000, 9), (2, 1750, 1), (20, 1751, 1)]) == [9, 10, 1])
        // A clock 50 years ahead begins a day, once. The correction begins none.
        #expect(Self.sent([(0, 20_000, 9), (2, 38_000, 1), (2.1, 20_000, 1), (10, 20_001, 1)]) == [9, 1, 2, 1])
        // The date is unknown at times.
        #expect(Self.sent([(0, 5, 9), (2, nil, 1), (3, 5, 1), (4, nil, 1), (5, 6, 1)]) == [9, 10, 11, 12, 1])
    }

    @Test("A process continues the day of the previous process once it knows the date")
    func restart() {
        func budget() -> DailyBudget {
            DailyBudget(limit: 1000, earlier: DayTraffic(date: 20_000, bytes: 800), at: .zero)
        }
        var sameDay = budget()
        sameDay.add(10, at: .zero, on: nil)
        #expect(sameDay.sent == 10 && sameDay.level == .normal)
        sameDay.add(10, at: Self.at(hours: 1), on: 20_000)
        #expect(sameDay.sent == 820 && sameDay.level == .slowed)
        sameDay.add(10, at: Self.at(hours: 2), on: 20_000)
        #expect(sameDay.sent == 830)
        var nextDay = budget()
        nextDay.add(10, at: .zero, on: 20_001)
        #expect(nextDay.sent == 10)
        nextDay.add(10, at: .zero, on: 20_000)
        #expect(nextDay.sent == 20)
    }

    @Test("The sent bytes are persisted each day, at the end, and every 10 kB")
    func remembered() {
        var budget = DailyBudget(limit: nil, at: .zero)
        budget.add(5, at: .zero, on: nil)
        #expect(budget.dayToRemember(isLast: true) == nil)
        var written: [Int] = []
        for hour in 0..<48 {
            budget.add(3000, at: Self.at(hours: Double(hour)), on: Int64(hour / 24))
            if let day = budget.dayToRemember(isLast: hour == 47) { written.append(day.bytes) }
        }
        let first = [3005] + stride(from: 15_005, through: 72_005, by: 12_000)
        #expect(written == first + [3000] + stride(from: 15_000, through: 72_000, by: 12_000) + [72_000])
    }

    @Test("Samples are thinned to one in ten seconds, then one a minute, separately for each parameter")
    func thinning() {
        func kept(_ level: BudgetLevel) -> [Int] {
            var thinner = SampleThinner()
            var kept = [0, 0]
            for second in 0..<120 {
                for (index, series) in ["a", "b"].enumerated() {
                    let time = MonotonicTime(sinceBoot: .seconds(second))
                    let sample = Uplink.Sample(series: series, ecu: "7E8", scale: 1, steps: 1, time: time)
                    if thinner.keeps(sample, at: level) { kept[index] += 1 }
                }
            }
            return kept
        }
        #expect(kept(.normal) == [120, 120])
        #expect(kept(.slowed) == [120, 120])
        #expect(kept(.thinned) == [12, 12])
        #expect(kept(.exhausted) == [2, 2])
    }

    @Test("Records that are published again have 16 MiB a day, or a tenth of the budget")
    func resentBytes() throws {
        var budget = DailyBudget(limit: 1000, at: .zero)
        #expect(budget.resendRoom == 100)
        budget.add(0, at: .zero, on: 20_000)
        budget.addResent(70)
        #expect(budget.resendRoom == 30)
        let remembered = budget.dayToRemember(isLast: true)
        let day = try #require(remembered)
        #expect(day == DayTraffic(date: 20_000, bytes: 0, resent: 70))
        var next = DailyBudget(limit: 1000, earlier: day, at: .zero)
        next.add(0, at: .zero, on: 20_000)
        next.addResent(40)
        #expect(next.resendRoom == 0)
        next.add(0, at: Self.at(hours: 2), on: 20_001)
        #expect(next.resendRoom == 100)
        #expect(DailyBudget(limit: nil, at: .zero).resendRoom == 16 << 20)
    }

    @Test("The next day begins at midnight of UTC, or 24 hours after the start")
    func nextDay() {
        let budget = DailyBudget(limit: nil, at: Self.at(hours: 1))
        let date = Timestamp(milliseconds: 20_000 * 86_400_000 + 3_600_000)
        #expect(budget.timeToNextDay(at: Self.at(hours: 3), on: date) == .seconds(23 * 3600))
        #expect(budget.timeToNextDay(at: Self.at(hours: 3), on: Timestamp(milliseconds: -3_600_000)) == .seconds(3600))
        #expect(budget.timeToNextDay(at: Self.at(hours: 3), on: nil) == .seconds(22 * 3600))
        #expect(budget.timeToNextDay(at: Self.at(hours: 99), on: nil) == .zero)
    }
}
