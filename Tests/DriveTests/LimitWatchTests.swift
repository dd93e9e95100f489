// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Drive
import OBD2
import Testing

@Suite("Limits")
struct LimitWatchTests {
    private static func time(_ seconds: Double) -> MonotonicTime { .zero + .milliseconds(Int64(seconds * 1000)) }

    private static func rule(
        _ when: String,
        clear: String? = nil,
        for seconds: Int = 0
    ) throws -> LimitRule {
        let condition = try Condition(when)
        return LimitRule(
            "test",
            when: condition,
            clear: try clear.map { try Double($0).map(condition.cleared) ?? Condition($0) },
            for: .seconds(seconds),
            maximumAge: .seconds(30)
        )
    }

    /// Returns the kinds of changes for values of `a` at times in seconds; nil stands for time without a reading.
    private static func changes(_ rule: LimitRule, _ course: [(Double, Double?)]) -> [String] {
        var watch = LimitWatch([rule])
        return course.flatMap { seconds, value in
            let changes =
                value.map { watch.receive([Reading("a", $0, nil, at: Self.time(seconds))]) }
                ?? watch.timePassed(to: Self.time(seconds))
            return changes.map { change in
                switch change {
                case .exceeded(_, let values, _): "exceeded \(seconds) \(values["a"] ?? -1)"
                case .cleared(_, let values): "cleared \(seconds) \(values["a"] ?? -1)"
                case .known: "known \(seconds)"
                }
            }
        }
    }

    @Test("Without duration and threshold a limit follows its condition")
    func plain() throws {
        let changes = Self.changes(try Self.rule("a < 15"), [(0, 20), (1, 14), (2, 13), (3, 15), (4, 14)])
        #expect(changes == ["known 0.0", "exceeded 1.0 14.0", "cleared 3.0 15.0", "exceeded 4.0 14.0"])
    }

    @Test("A threshold for the end keeps a value that varies around the limit from repeating it")
    func hysteresis() throws {
        let course = [(0.0, 14.0), (1, 16), (2, 14), (3, 20), (4, 20.5), (5, 16), (6, 14)].map {
            ($0.0, Optional($0.1))
        }
        let changes = Self.changes(try Self.rule("a < 15", clear: "20"), course)
        #expect(changes == ["exceeded 0.0 14.0", "cleared 4.0 20.5", "exceeded 6.0 14.0"])
    }

    @Test("The condition for the end counts only while the other one does not hold")
    func overlap() throws {
        let course = [(0.0, 11.0), (1, 12), (2, 13), (3, 9), (4, 4), (5, 8), (6, 11)].map { ($0.0, Optional($0.1)) }
        let changes = Self.changes(try Self.rule("a > 10", clear: "a > 5"), course)
        #expect(changes == ["exceeded 0.0 11.0", "cleared 3.0 9.0", "exceeded 6.0 11.0"])
    }

    @Test("The limit stays exceeded while a value of either condition is unknown")
    func unknownConditions() throws {
        let course = [(0.0, 11.0), (1, 4)].map { ($0.0, Optional($0.1)) }
        #expect(Self.changes(try Self.rule("a > 10", clear: "b < 5"), course) == ["exceeded 0.0 11.0"])
    }

    @Test("The condition must hold for its time without a break")
    func duration() throws {
        let course: [(Double, Double?)] = [
            (0, 14), (10, 14), (20, 16), (30, 14), (50, 14), (70, 14), (89, 14), (90, 14),
        ]
        #expect(
            Self.changes(try Self.rule("a < 15", for: 60), course) == ["known 20.0", "exceeded 90.0 14.0"]
        )
    }

    @Test("A value that is too old neither exceeds a limit nor clears it, and interrupts its time")
    func stale() throws {
        let rule = try Self.rule("a < 15", for: 60)
        #expect(Self.changes(rule, [(0, 14), (45, 14), (60, 14), (100, nil), (130, 14)]).isEmpty)
        let exceeded = Self.changes(
            rule,
            [(0, 14), (30, 14), (60, 14), (300, nil), (3000, nil), (3001, 14), (3002, 16)]
        )
        #expect(exceeded == ["exceeded 60.0 14.0", "cleared 3002.0 16.0"])
    }

    @Test("A limit whose condition holds from the first value on is unknown, not unexceeded, until its time is over")
    func holdsFromTheBegin() throws {
        let values: [Double?] = [14, 14, nil, 14, 14]
        var watch = LimitWatch([try Self.rule("a < 15", for: 5)])
        var states: [Bool?] = []
        for (index, value) in values.enumerated() {
            let time = Self.time(Double(index) * 3)
            _ = value.map { watch.receive([Reading("a", $0, nil, at: time)]) } ?? watch.timePassed(to: time)
            states.append(watch.states.first?.isExceeded)
        }
        #expect(states == [nil, nil, true, true, true])
        // Once the limit was not exceeded for certain, it is so until the time is over.
        var course = LimitWatch([try Self.rule("a < 15", for: 5)])
        let later = [16.0, 14, 14].enumerated().map { index, value in
            _ = course.receive([Reading("a", value, nil, at: Self.time(Double(index) * 3))])
            return course.states.first?.isExceeded
        }
        #expect(later == [false, false, false])
    }

    @Test("Nothing is known before the first value")
    func unknown() throws {
        var watch = LimitWatch([try Self.rule("a < 15")])
        #expect(watch.timePassed(to: Self.time(60)).isEmpty)
        #expect(watch.receive([Reading("b", 1, nil, at: Self.time(61))]).isEmpty)
        #expect(watch.states == [.unknown(since: nil)])
        #expect(watch.states.first?.isExceeded == nil)
    }

    @Test("Another vehicle begins without a state")
    func vehicle() throws {
        var watch = LimitWatch([try Self.rule("a < 15")])
        #expect(watch.receive([Reading("a", 1, nil, at: Self.time(0))]).count == 1)
        watch.vehicleChanged()
        #expect(watch.states == [.unknown(since: nil)])
        #expect(watch.timePassed(to: Self.time(1)).isEmpty)
        #expect(watch.receive([Reading("a", 1, nil, at: Self.time(2))]).count == 1)
    }

    @Test("A condition may name roles, and several values that come apart")
    func roles() throws {
        let condition = try Condition("state_of_charge < 20 and vehicle_speed > 80")
        var watch = LimitWatch([LimitRule("empty", when: condition)])
        let charge = Reading("soc", role: .stateOfCharge, 15, "%", at: Self.time(0))
        #expect(watch.receive([charge]).isEmpty)
        let changes = watch.receive([Reading("vehicle_speed", role: .vehicleSpeed, 90, "km/h", at: Self.time(2))])
        let values = ["state_of_charge": 15.0, "vehicle_speed": 90]
        #expect(changes == [.exceeded(watch.rules[0], values: values, since: Self.time(2))])
    }
}
