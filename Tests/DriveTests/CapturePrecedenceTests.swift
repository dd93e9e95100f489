// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Drive
import OBD2
import Testing

@Suite("Several capture rules at one moment")
struct CapturePrecedenceTests {
    private typealias Action = CaptureWatch.Action

    private static func at(_ seconds: Int) -> CaptureWatch.Instant {
        CaptureWatch.Instant(.zero + .seconds(seconds), date: 20_000)
    }

    /// A rule that waits for misfires.
    private static func misfire(_ name: String = "misfire") throws -> CaptureRule {
        let pattern = try #require(CodePattern("P03*"))
        return CaptureRule(name, .occasions([.codeAppeared], codes: [pattern]), after: .seconds(10))
    }

    private static func begun(_ actions: [Action]) -> [Capture] {
        actions.compactMap { if case .keep(let capture) = $0 { capture } else { nil } }
    }

    private static func skipped(_ actions: [Action]) -> [String] {
        actions.compactMap { action in
            if case .noteSkipped(let rule, let running) = action { "\(rule) during \(running)" } else { nil }
        }
    }

    @Test("A rule of the owner comes before the built-in one, which is not told to have been skipped")
    func written() throws {
        var watch = CaptureWatch(rules: [.builtIn, try Self.misfire()])
        let actions = watch.codesChanged([.codeAppeared("P0301", ecu: "7E8"), .milOn], at: Self.at(0))
        #expect(Self.begun(actions).map(\.rule) == ["misfire"])
        #expect(Self.skipped(actions).isEmpty)
        #expect(watch.end == Self.at(10).time)
    }

    @Test("All codes of one reading are one moment, whatever their order")
    func oneReading() throws {
        var watch = CaptureWatch(rules: [.builtIn, try Self.misfire()])
        let codes = ["P0420", "P0301"].map { Capture.Cause.codeAppeared($0, ecu: "7E8") }
        let begun = Self.begun(watch.codesChanged(codes, at: Self.at(0)))
        #expect(begun.map(\.rule) == ["misfire"])
        #expect(begun.first?.cause == .codeAppeared("P0301", ecu: "7E8"))
    }

    @Test("A rule of a command comes before the built-in one, and before those of the configuration that are alike")
    func command() throws {
        var watch = CaptureWatch(rules: [.builtIn, try Self.misfire("a")])
        try watch.ruleSet(try Self.misfire("z"), for: .seconds(100), at: Self.at(0))
        let actions = watch.codeAppeared("P0301", ecu: "7E8", at: Self.at(1))
        #expect(Self.begun(actions).map(\.rule) == ["z"])
        #expect(Self.skipped(actions) == ["a during z"])
    }

    @Test("A rule with codes comes before one for all codes; without a match the other one captures")
    func specific() throws {
        let rules = [CaptureRule("any", .occasions([.codeAppeared, .milOn])), try Self.misfire()]
        var watch = CaptureWatch(rules: rules)
        #expect(Self.begun(watch.codeAppeared("P0420", ecu: "7E8", at: Self.at(0))).map(\.rule) == ["any"])
        watch = CaptureWatch(rules: rules)
        #expect(Self.begun(watch.codeAppeared("P0301", ecu: "7E8", at: Self.at(0))).map(\.rule) == ["misfire"])
    }

    @Test("A rule that has had all of its captures leaves the moment to the next one")
    func budget() throws {
        var misfire = try Self.misfire()
        misfire.perDay = 1
        var watch = CaptureWatch(rules: [.builtIn, misfire])
        #expect(Self.begun(watch.codeAppeared("P0301", ecu: "7E8", at: Self.at(0))).map(\.rule) == ["misfire"])
        _ = watch.timePassed(to: Self.at(50))
        #expect(Self.begun(watch.codeAppeared("P0302", ecu: "7E8", at: Self.at(200))).map(\.rule) == ["code"])
    }

    @Test("A rule that fires while another capture runs is told once for each capture, and the running rule never")
    func skipped() throws {
        var watch = CaptureWatch(rules: [.builtIn, try Self.misfire()])
        _ = watch.milTurnedOn(at: Self.at(0))
        #expect(Self.skipped(watch.codeAppeared("P0301", ecu: "7E8", at: Self.at(5))) == ["misfire during code"])
        #expect(watch.codeAppeared("P0302", ecu: "7E8", at: Self.at(6)).isEmpty)
        #expect(Self.begun(watch.timePassed(to: Self.at(31))).isEmpty)
        _ = try watch.requested(by: "c", issuer: nil, after: .seconds(20), parameters: [], at: Self.at(100))
        let actions = watch.codeAppeared("P0303", ecu: "7E8", at: Self.at(101))
        #expect(Self.skipped(actions) == ["code during command", "misfire during command"])
    }

    @Test("A condition and a maneuver of one reply are one moment")
    func condition() throws {
        let fast = CaptureRule("fast", .condition(try Condition("vehicle_speed < 70"), for: .zero))
        var watch = CaptureWatch(rules: [CaptureRule("brake", .occasions([.harshBraking])), fast])
        func read(_ speed: Int64, _ seconds: Int) -> [Action] {
            let source = CaptureSource("vehicle_speed", ecu: "7E8", role: .vehicleSpeed, unit: "km/h")
            let reading = CaptureReading(source, steps: speed, at: Self.at(seconds).time)
            return watch.readingsReceived([reading], at: Self.at(seconds))
        }
        #expect(read(90, 0).isEmpty)
        let actions = read(65, 1)
        #expect(Self.begun(actions).map(\.rule) == ["brake"] && Self.skipped(actions) == ["fast during brake"])
    }

    @Test("A figure of the 12 V supply counts in a condition")
    func supply() throws {
        let rule = CaptureRule("weak", .condition(try Condition("supply_voltage < 11"), for: .zero))
        var watch = CaptureWatch(rules: [rule])
        func measure(_ voltage: Double, _ seconds: Int) -> [Action] {
            let time = Self.at(seconds).time
            return watch.figuresMeasured([Reading("supply_voltage", voltage, "V", at: time)], at: Self.at(seconds))
        }
        #expect(measure(12.4, 0).isEmpty)
        let begun = Self.begun(measure(10.9, 10))
        #expect(begun.map(\.rule) == ["weak"] && begun.first?.series.isEmpty == true)
    }

    @Test("A command cannot take the name of a rule of the configuration, nor that of the built-in one")
    func name() throws {
        var watch = CaptureWatch(rules: [.builtIn, try Self.misfire()])
        for name in ["code", "misfire"] {
            #expect(throws: CaptureWatch.Refusal.nameIsTaken) {
                try watch.ruleSet(CaptureRule(name, .occasions([.milOn])), for: .seconds(9), at: Self.at(0))
            }
        }
        // The owner has switched the built-in rule off.
        watch = CaptureWatch(rules: [])
        try watch.ruleSet(CaptureRule("code", .occasions([.milOn])), for: .seconds(9), at: Self.at(0))
        #expect(Self.begun(watch.milTurnedOn(at: Self.at(1))).map(\.rule) == ["code"])
    }
}
