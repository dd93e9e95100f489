// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Drive
import OBD2
import Testing

@Suite("Limits that outlive the process")
struct LimitMemoryTests {
    private static let start = Timestamp(milliseconds: 1_795_000_000_000)
    private static let time = MonotonicTime(sinceBoot: .seconds(100))

    private static func boot(
        _ id: String = "one",
        isSynchronised: Bool = true,
        later: Duration = .zero
    ) -> MachineBoot {
        MachineBoot(id: id, start: Self.start + later, isSynchronised: isSynchronised)
    }

    private static func rule(_ name: String, _ when: String, clear: String? = nil) throws -> LimitRule {
        LimitRule(name, when: try Condition(when), clear: try clear.map { try Condition($0) })
    }

    /// Returns the memory as the next process reads it.
    private static func stored(_ memory: LimitMemory) -> LimitMemory {
        LimitMemory(JSON(payload: Array(memory.json.text.utf8)))
    }

    @Test("An exceeded limit is neither reported again nor forgotten, and cleared once")
    func restored() throws {
        let rules = [try Self.rule("low", "a < 15", clear: "a > 20"), try Self.rule("high", "b > 5")]
        var memory = LimitMemory()
        memory.limitExceeded(rules[0], at: Self.time, Self.boot())
        var watch = LimitWatch(rules)
        watch.restore(Self.stored(memory))
        #expect(watch.states == [.exceeded, .unknown(since: nil)])
        #expect(watch.timePassed(to: .zero).isEmpty)
        #expect(watch.receive([Reading("a", 14, nil, at: .zero)]).isEmpty)
        let cleared = watch.receive([Reading("a", 21, nil, at: .zero + .seconds(1))])
        #expect(cleared == [.cleared(rules[0], values: ["a": 21])])
        memory.limitCleared(rules[0])
        #expect(memory == LimitMemory() && Self.stored(memory) == memory)
    }

    @Test("A limit with a time that was exceeded before is exceeded all along, not only once its time is over again")
    func restoredWithTime() throws {
        let rule = LimitRule("low", when: try Condition("a < 15"), for: .seconds(5))
        var memory = LimitMemory()
        memory.limitExceeded(rule, at: Self.time, Self.boot())
        var watch = LimitWatch([rule])
        watch.restore(Self.stored(memory))
        for second in 0...10 {
            #expect(watch.receive([Reading("a", 14, nil, at: .zero + .seconds(second))]).isEmpty)
            #expect(watch.states == [.exceeded])
        }
    }

    @Test(
        "A limit whose conditions have changed begins anew, and so does one that was not configured in between",
        arguments: [
            ("low", "a < 15", "a > 20", true), ("low", "a < 16", "a > 20", false), ("low", "a < 15", "a > 21", false),
            ("low", "a < 15", nil, false), ("other", "a < 15", "a > 20", false),
        ] as [(String, String, String?, Bool)]
    )
    func changed(name: String, when: String, clear: String?, isSame: Bool) throws {
        let rule = try Self.rule("low", "a < 15", clear: "a > 20")
        var memory = LimitMemory()
        memory.limitExceeded(rule, at: Self.time, Self.boot())
        let configured = try Self.rule(name, when, clear: clear)
        #expect(memory.isExceeded(configured) == isSame)
        memory.keep([configured])
        #expect(memory.isExceeded(rule) == isSame)
    }

    @Test("With a right clock the date stays, whatever the next boot believes")
    func dates() throws {
        let rule = try Self.rule("low", "a < 15")
        var memory = LimitMemory()
        memory.limitExceeded(rule, at: Self.time, Self.boot())
        for boot in [Self.boot(), Self.boot("two", isSynchronised: false, later: .seconds(-9000))] {
            #expect(Self.stored(memory).since(rule, boot) == Self.start + .seconds(100))
        }
    }

    @Test("Without a right clock the date follows the clock of the boot, and another boot does not know it")
    func undated() throws {
        let rule = try Self.rule("low", "a < 15")
        var memory = LimitMemory()
        memory.limitExceeded(rule, at: Self.time, Self.boot(isSynchronised: false))
        memory = Self.stored(memory)
        #expect(memory.since(rule, Self.boot(later: .seconds(7))) == Self.start + .seconds(107))
        #expect(memory.since(rule, Self.boot("two")) == nil && memory.isExceeded(rule))
        memory.clockSynchronised(Self.boot("two"))
        #expect(memory.since(rule, Self.boot("two")) == nil)
        memory.clockSynchronised(Self.boot(later: .seconds(7)))
        #expect(Self.stored(memory).since(rule, Self.boot("two")) == Self.start + .seconds(107))
    }

    @Test("What is damaged is no exceeded limit, and a time that is damaged is not known")
    func damaged() throws {
        for json in [JSON.null, [], ["exceeded": 1], ["exceeded": ["low": ["clear": "a > 20"]]]] as [JSON] {
            #expect(LimitMemory(json) == LimitMemory())
        }
        let rule = try Self.rule("low", "a < 15")
        let times: [JSON] = [
            ["when": "a < 15"], ["when": "a < 15", "since": "soon"], ["when": "a < 15", "boot": "one", "time": -1],
            ["when": "a < 15", "boot": "one"],
        ]
        for json in times {
            let memory = LimitMemory(["exceeded": ["low": json]])
            #expect(memory.isExceeded(rule) && memory.since(rule, Self.boot()) == nil)
        }
    }
}
