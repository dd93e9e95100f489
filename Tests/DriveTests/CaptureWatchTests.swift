// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Drive
import OBD2
import Testing

@Suite("Captures")
struct CaptureWatchTests {
    private typealias Action = CaptureWatch.Action

    private static func at(_ seconds: Double, date: Int64? = 20_000) -> CaptureWatch.Instant {
        CaptureWatch.Instant(.zero + .milliseconds(Int64((seconds * 1000).rounded())), date: date)
    }

    private static func reading(_ name: String, _ value: Int64, _ seconds: Double) -> CaptureReading {
        let role: ParameterRole? = ["engine_speed": .engineSpeed, "vehicle_speed": .vehicleSpeed][name]
        let unit = role == .vehicleSpeed ? "km/h" : nil
        return CaptureReading(
            CaptureSource(name, ecu: "7E8", role: role, unit: unit),
            steps: value,
            at: Self.at(seconds).time
        )
    }

    /// Reads the engine speed ten times a second.
    private static func drive(
        _ watch: inout CaptureWatch,
        _ seconds: ClosedRange<Int>
    ) -> [Action] {
        (seconds.lowerBound * 10..<seconds.upperBound * 10).flatMap { tenth in
            let time = Double(tenth) / 10
            return watch.readingsReceived([Self.reading("engine_speed", 2000, time)], at: Self.at(time))
        }
    }

    private static func completed(_ actions: [Action]) -> [Capture] {
        actions.compactMap { if case .complete(let capture) = $0 { capture } else { nil } }
    }

    @Test("A code that appears captures the 60 s before and the 30 s after at the full rate, once")
    func code() throws {
        var watch = CaptureWatch()
        #expect(Self.drive(&watch, 0...100).isEmpty)
        let begun = watch.codeAppeared("P0301", ecu: "7E8", at: Self.at(100))
        guard case .keep(let kept) = begun.first, begun.count == 2 else {
            Issue.record("expected the capture so far and the counts, not \(begun)")
            return
        }
        #expect(begun.last == .remember(CaptureCounts(date: 20_000, byRule: ["code": 1])))
        #expect(kept.ending == .interrupted && kept.after == .zero)
        #expect(kept.series.first?.milliseconds == (-600 ... -1).map { Int64($0) * 100 })
        let actions = Self.drive(&watch, 100...200)
        let capture = try #require(Self.completed(actions).first)
        #expect(actions.count == 1)
        #expect(capture.cause == .codeAppeared("P0301", ecu: "7E8") && capture.rule == "code")
        #expect(capture.moment == Self.at(100).time && capture.ending == .complete)
        #expect(capture.before == .seconds(60) && capture.after == .seconds(30))
        #expect(capture.series.first?.milliseconds == (-600...300).map { Int64($0) * 100 })
    }

    @Test("The lamp that comes on with its code begins no second capture")
    func lampWithCode() {
        var watch = CaptureWatch()
        #expect(watch.codeAppeared("P0301", ecu: "7E8", at: Self.at(10)).count == 2)
        #expect(watch.milTurnedOn(at: Self.at(10)).isEmpty)
    }

    @Test("Only codes that match a pattern begin a capture")
    func patterns() throws {
        let pattern = try #require(CodePattern("p03*"))
        var watch = CaptureWatch(rules: [CaptureRule("misfire", .occasions([.codeAppeared], codes: [pattern]))])
        #expect(watch.codeAppeared("P0420", ecu: "7E8", at: Self.at(1)).isEmpty)
        #expect(watch.milTurnedOn(at: Self.at(1)).isEmpty)
        #expect(watch.codeAppeared("P0301", ecu: "7E8", at: Self.at(2)).count == 2)
    }

    @Test("A pattern is a code, or its beginning with a star")
    func patternTexts() {
        #expect(["P0301", "p03*", "P*", "SPN110-FMI0", "P0301-1F"].allSatisfy { CodePattern($0) != nil })
        #expect(["", "*", "P", "P03", "P0?", "X*Y", "P 3*"].allSatisfy { CodePattern($0) == nil })
    }

    @Test("A condition begins a capture once it has held for its time, and again only after it did not hold")
    func condition() throws {
        let rule = CaptureRule("hot", .condition(try Condition("coolant_temperature > 115"), for: .seconds(10)))
        var watch = CaptureWatch(rules: [rule])
        func read(_ value: Int64, _ seconds: Double) -> [Action] {
            watch.readingsReceived([Self.reading("coolant_temperature", value, seconds)], at: Self.at(seconds))
        }
        #expect(read(116, 0).isEmpty)
        #expect(read(116, 9).isEmpty)
        #expect(read(115, 9.5).isEmpty)
        #expect(read(116, 10).isEmpty)
        let begun = read(117, 20)
        guard case .keep(let capture) = begun.first else {
            Issue.record("no capture: \(begun)")
            return
        }
        #expect(capture.cause == .condition("coolant_temperature > 115"))
        #expect(Self.completed(read(118, 51)).count == 1)
        #expect(read(118, 200).isEmpty)
        #expect(read(110, 201).isEmpty)
        #expect(read(116, 210).isEmpty)
        #expect(read(116, 220).count == 2)
    }

    @Test("A value that is not known any more ends the time of a condition")
    func unknownValue() throws {
        let rule = CaptureRule("hot", .condition(try Condition("coolant_temperature > 115"), for: .seconds(10)))
        var watch = CaptureWatch(rules: [rule])
        _ = watch.readingsReceived([Self.reading("coolant_temperature", 120, 0)], at: Self.at(0))
        _ = watch.readingsReceived([Self.reading("engine_speed", 900, 100)], at: Self.at(100))
        #expect(watch.readingsReceived([Self.reading("coolant_temperature", 120, 101)], at: Self.at(101)).isEmpty)
    }

    @Test("The parameters of a rule are read faster for the time after the moment")
    func faster() {
        var rule = CaptureRule.builtIn
        rule.parameters = [0x0C]
        rule.after = .seconds(5)
        var watch = CaptureWatch(rules: [rule])
        let actions = watch.milTurnedOn(at: Self.at(0))
        #expect(actions.contains(.hasten([0x0C], every: .milliseconds(200), for: .seconds(5))))
    }

    @Test(
        "A capture ends early with what it has, and says why",
        arguments: [Capture.Ending.linkLost, .parked, .vehicleChanged, .stopped]
    )
    func early(ending: Capture.Ending) throws {
        var watch = CaptureWatch()
        _ = Self.drive(&watch, 0...20)
        _ = watch.milTurnedOn(at: Self.at(20))
        _ = Self.drive(&watch, 20...25)
        let now = Self.at(25)
        let actions =
            switch ending {
            case .linkLost: watch.linkLost(at: now)
            case .parked: watch.parked(at: now)
            case .vehicleChanged: watch.vehicleChanged(at: now)
            default: watch.stopping(at: now)
            }
        let capture = try #require(Self.completed(actions).first)
        #expect(capture.ending == ending && capture.after == .seconds(5) && capture.before == .seconds(20))
        #expect(capture.series.first?.steps.count == 250)
        #expect(watch.end == nil)
    }

    @Test("A capture whose time is over is complete, whatever ends the readings later")
    func lateEnd() throws {
        var watch = CaptureWatch()
        _ = watch.milTurnedOn(at: Self.at(0))
        let capture = try #require(Self.completed(watch.linkLost(at: Self.at(40))).first)
        #expect(capture.ending == .complete && capture.after == .seconds(30))
    }

    @Test("A rule captures as often in a day as it may, and all rules together 20 times")
    func daily() {
        let rules = (0..<3).map { CaptureRule("rule\($0)", .occasions([$0 == 0 ? .milOn : .codeAppeared]), perDay: 10) }
        var watch = CaptureWatch(rules: rules)
        func captures(from seconds: Double, date: Int64, isLamp: Bool) -> Int {
            (0..<30).count { index in
                let now = Self.at(seconds + Double(index) * 100, date: date)
                let actions = isLamp ? watch.milTurnedOn(at: now) : watch.codeAppeared("P0301", ecu: "7E8", at: now)
                return actions.contains { if case .keep = $0 { true } else { false } }
            }
        }
        #expect(captures(from: 0, date: 1, isLamp: true) == 10)
        #expect(captures(from: 4000, date: 1, isLamp: false) == 10)
        #expect(captures(from: 8000, date: 2, isLamp: true) == 10)
    }

    @Test("The captures of an earlier process count")
    func restart() {
        let earlier = CaptureCounts(date: 20_000, byRule: ["code": 9])
        var watch = CaptureWatch(earlier: earlier)
        let actions = watch.milTurnedOn(at: Self.at(0))
        #expect(actions.contains(.remember(CaptureCounts(date: 20_000, byRule: ["code": 10]))))
        _ = watch.timePassed(to: Self.at(50))
        #expect(watch.milTurnedOn(at: Self.at(200)).isEmpty)
        #expect(!watch.milTurnedOn(at: Self.at(300, date: 20_001)).isEmpty)
    }

    @Test("A rule pauses for a minute after its capture")
    func gap() {
        var watch = CaptureWatch()
        _ = watch.milTurnedOn(at: Self.at(0))
        #expect(Self.completed(watch.timePassed(to: Self.at(31))).count == 1)
        #expect(watch.milTurnedOn(at: Self.at(80)).isEmpty)
        #expect(!watch.milTurnedOn(at: Self.at(90)).isEmpty)
    }

    @Test("A command captures at once, and not while another capture runs")
    func command() throws {
        var watch = CaptureWatch(rules: [])
        _ = Self.drive(&watch, 0...10)
        let begun = try watch.requested(by: "c1", issuer: "anna", after: .seconds(10), parameters: [], at: Self.at(10))
        guard case .keep(let capture) = begun.first else {
            Issue.record("no capture: \(begun)")
            return
        }
        #expect(capture.rule == "command" && capture.cause == .command(id: "c1", issuer: "anna"))
        #expect(throws: CaptureWatch.Refusal.isRunning(until: Self.at(20).time)) {
            try watch.requested(by: "c2", issuer: nil, after: .zero, parameters: [], at: Self.at(11))
        }
        _ = watch.timePassed(to: Self.at(21))
        for index in 0..<19 {
            _ = try watch.requested(by: "d", issuer: nil, after: .zero, parameters: [], at: Self.at(30 + Double(index)))
        }
        #expect(throws: CaptureWatch.Refusal.noneLeftToday) {
            try watch.requested(by: "e", issuer: nil, after: .zero, parameters: [], at: Self.at(60))
        }
    }

    @Test("A rule of a command counts until its time is over, or another vehicle follows")
    func temporaryRule() throws {
        var watch = CaptureWatch(rules: [])
        try watch.ruleSet(CaptureRule("lamp", .occasions([.milOn])), for: .seconds(100), at: Self.at(0))
        #expect(!watch.milTurnedOn(at: Self.at(99)).isEmpty)
        _ = watch.timePassed(to: Self.at(150))
        #expect(watch.milTurnedOn(at: Self.at(300)).isEmpty)
        try watch.ruleSet(CaptureRule("lamp", .occasions([.milOn])), for: .seconds(100), at: Self.at(300))
        _ = watch.vehicleChanged(at: Self.at(301))
        #expect(watch.milTurnedOn(at: Self.at(302)).isEmpty)
    }

    @Test("Commands set no more rules than there may be")
    func tooManyRules() throws {
        var watch = CaptureWatch(rules: [])
        for index in 0..<CaptureRule.countLimit {
            try watch.ruleSet(CaptureRule("r\(index)", .occasions([.milOn])), for: .seconds(9), at: Self.at(0))
        }
        try watch.ruleSet(CaptureRule("r0", .occasions([.milOn])), for: .seconds(9), at: Self.at(1))
        #expect(throws: CaptureWatch.Refusal.tooManyRules) {
            try watch.ruleSet(CaptureRule("x", .occasions([.milOn])), for: .seconds(9), at: Self.at(2))
        }
    }

    @Test("Readings of another vehicle are in no capture")
    func anotherVehicle() {
        var watch = CaptureWatch()
        _ = Self.drive(&watch, 0...10)
        _ = watch.vehicleChanged(at: Self.at(10))
        guard case .keep(let capture) = watch.milTurnedOn(at: Self.at(11)).first else {
            Issue.record("no capture")
            return
        }
        #expect(capture.series.isEmpty)
    }

    @Test("Harsh braking and an engine that stalls begin captures of their rules")
    func driving() {
        let rules = [
            CaptureRule("brake", .occasions([.harshBraking]), after: .zero),
            CaptureRule("stall", .occasions([.engineStall]), after: .zero),
        ]
        var watch = CaptureWatch(rules: rules)
        func read(_ name: String, _ value: Int64, _ seconds: Double) -> [String] {
            watch.readingsReceived([Self.reading(name, value, seconds)], at: Self.at(seconds)).compactMap {
                if case .keep(let capture) = $0 { capture.rule } else { nil }
            }
        }
        #expect(read("vehicle_speed", 80, 0).isEmpty && read("vehicle_speed", 60, 1) == ["brake"])
        #expect(read("engine_speed", 1500, 2).isEmpty)
        #expect(read("vehicle_speed", 58, 3).isEmpty)
        #expect(read("engine_speed", 0, 4) == ["stall"])
    }
}

@Suite("An engine that stalls")
struct EngineStallTests {
    private static func stalls(_ speeds: [(vehicle: Double, engine: Double)]) -> Int {
        var watch = EngineStallWatch()
        return speeds.enumerated().count { index, speed in
            let time = MonotonicTime.zero + .seconds(index)
            watch.vehicleSpeedReceived(speed.vehicle, at: time)
            return watch.engineSpeedReceived(speed.engine, at: time)
        }
    }

    @Test("An engine that stops while the vehicle moves has stalled, once")
    func moving() { #expect(Self.stalls([(50, 2000), (48, 0), (40, 0), (30, 0)]) == 1) }

    @Test("An engine that stops while the vehicle stands has not, as at a traffic light")
    func standing() { #expect(Self.stalls([(50, 2000), (0, 800), (0, 0), (0, 900), (10, 1500)]) == 0) }

    @Test("A vehicle whose engine starts again while it moves has no more stalls")
    func hybrid() {
        #expect(Self.stalls([(50, 2000), (48, 0), (47, 1500), (50, 0), (50, 1800), (50, 0)]) == 1)
    }

    @Test("Without a vehicle speed nothing is told")
    func unknownSpeed() {
        var watch = EngineStallWatch()
        let stalls = [2000.0, 0].enumerated().map { watch.engineSpeedReceived($1, at: .zero + .seconds($0)) }
        #expect(stalls == [false, false])
    }
}

@Suite("Harsh braking")
struct BrakingTests {
    private static func brakings(_ speeds: [Double], every interval: Duration = .seconds(1)) -> Int {
        var watch = BrakingWatch()
        return speeds.enumerated().count { index, speed in
            watch.vehicleSpeedReceived(speed, at: .zero + interval * index)
        }
    }

    @Test("A deceleration from 4 m/s² on is harsh, once for each braking")
    func harsh() { #expect(Self.brakings([80, 60, 40, 20, 20, 50, 30]) == 2) }

    @Test("A soft braking and a single step of a slow sensor are not")
    func soft() {
        #expect(Self.brakings([80, 68, 56, 44]) == 0)
        #expect(Self.brakings([50, 49, 48, 48], every: .milliseconds(50)) == 0)
    }

    @Test("A gap in the readings tells nothing")
    func gap() { #expect(Self.brakings([80, 0], every: .seconds(10)) == 0) }
}
