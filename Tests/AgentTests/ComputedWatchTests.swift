// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import Contract
import Drive
import ELM327
import OBD2
import Parking
import Session
import Store
import Testing
import Uplink

@testable import Agent

@Suite("Computed values and limits, as they are published")
struct ComputedWatchTests {
    private static let engine = ECUAddress.can11(0x7E8)

    private static func time(_ seconds: Int) -> MonotonicTime { MonotonicTime(sinceBoot: .seconds(seconds)) }

    private static func watch(
        _ clock: ClockQuality = .synchronised,
        boot: String = "boot",
        fast: String = "half > 10"
    ) throws -> ComputedWatch {
        var computed = Configuration.Computed()
        computed.derived = [
            DerivedParameter(
                Field(derived: "half", symbol: "km/h", resolution: 0.1),
                ways: [DerivedParameter.Way(try Expression("vehicle_speed / 3"), assumes: "nothing")]
            )
        ]
        let condition = try Condition(fast)
        computed.limits = [
            LimitRule("fast", when: condition, clear: try condition.cleared(at: 5)),
            LimitRule("weak", when: try Condition("supply_voltage < 12")),
        ]
        var watch = ComputedWatch(
            computed,
            ContractMapping(clock: StandingClock(quality: clock), isImperial: false),
            boot: boot
        )
        let derivation = Derivation(way: 0, values: ["vehicle_speed": "vehicle_speed"], interval: .seconds(1))
        _ = watch.planChanged(Selection(intervals: [.derived("half"): .seconds(1)]), ["half": derivation])
        return watch
    }

    /// The kept state of the limits; nil if the actions keep none.
    private static func kept(_ actions: [DriveAction]) -> [UInt8]? {
        let states = actions.compactMap { action -> StoredState? in
            switch action {
            case .remember(let state), .recordChange(_, _, _, let state): state
            default: nil
            }
        }
        return states.last { $0.kind == .limits }?.body
    }

    /// The time since which the limit "fast" is exceeded, as it is published; nil if it is not.
    private static func since(_ actions: [DriveAction]) -> Timestamp? {
        for case .update(.limits, .limits(let report)) in actions { return report.limits["fast"]?.since }
        return nil
    }

    private static func speed(_ speed: UInt8, at seconds: Int, _ ecu: ECUAddress = Self.engine) throws -> Sample {
        let value = try #require(try Parameter.withPID(0x0D)?.decode([speed]).first)
        return Sample(value: value, ecu: ecu, time: Self.time(seconds))
    }

    /// The records and payloads of the actions, in words.
    private static func words(_ actions: [DriveAction]) -> [String] {
        actions.compactMap { action in
            switch action {
            case .ingest(let samples):
                samples.map { "\($0.name) \($0.report.value.text) \($0.report.quality) \($0.report.ecu)" }.joined()
            case .recordChange(let event, nil, nil, _):
                "\(event.event) \(event.limit?.name ?? "") \(event.limit?.values ?? [:])"
            case .update(.limits, .limits(let report)):
                report.limits.sorted { $0.key < $1.key }
                    .map { "\($0.key) \($0.value.exceeded.map { "\($0)" } ?? "?")" }.joined(separator: ", ")
            default: nil
            }
        }
    }

    @Test("A selected value is published and recorded, rounded, with the quality derived")
    func published() throws {
        var watch = try Self.watch()
        let (computed, _, actions) = watch.samplesReceived([try Self.speed(10, at: 1)], primary: Self.engine)
        #expect(Self.words(actions) == ["half 3.3 derived agent", "fast false, weak ?"])
        #expect(computed.map(\.steps) == [33])
        #expect(
            watch.reports == [
                "half": DerivedReport(
                    formula: "vehicle_speed / 3",
                    sources: ["vehicle_speed"],
                    unit: "km/h",
                    assumes: "nothing"
                )
            ]
        )
    }

    @Test("Without a right clock the quality says that, and values of other ECUs do not count")
    func quality() throws {
        var watch = try Self.watch(.unsynchronised)
        let other = try Self.speed(100, at: 1, .can11(0x7E9))
        #expect(watch.samplesReceived([other], primary: Self.engine).actions.isEmpty)
        let actions = watch.samplesReceived([try Self.speed(10, at: 1)], primary: Self.engine).actions
        #expect(Self.words(actions).first == "half 3.3 unsynchronised agent")
    }

    @Test("A value that only a limit needs is not published")
    func unselected() throws {
        var watch = try Self.watch()
        let derivation = Derivation(way: 0, values: ["vehicle_speed": "vehicle_speed"], interval: .seconds(10))
        _ = watch.planChanged(Selection(intervals: [:]), ["half": derivation])
        let actions = watch.samplesReceived([try Self.speed(60, at: 1)], primary: Self.engine).actions
        #expect(Self.words(actions) == [#"limitExceeded fast ["half": 20.0]"#, "fast true, weak ?"])
    }

    @Test("A limit is exceeded and cleared once each, and the topic follows")
    func limit() throws {
        var watch = try Self.watch()
        var words: [String] = []
        for (seconds, speed) in [(1, 60), (3, 60), (5, 24), (7, 12), (9, 12)] {
            words += Self.words(
                watch.samplesReceived([try Self.speed(UInt8(speed), at: seconds)], primary: Self.engine).actions
            ).filter { !$0.hasPrefix("half") }
        }
        #expect(
            words == [
                #"limitExceeded fast ["half": 20.0]"#, "fast true, weak ?", #"limitCleared fast ["half": 4.0]"#,
                "fast false, weak ?",
            ]
        )
    }

    @Test("The 12 V supply of a parked vehicle can exceed a limit")
    func supply() throws {
        var watch = try Self.watch()
        let report = { (voltage: Double?) in
            ParkingReport(ignition: .off, isParked: true, voltage: voltage)
        }
        #expect(watch.figuresMeasured([Reading](report(nil), at: Self.time(1))).isEmpty)
        let actions = watch.figuresMeasured([Reading](report(11.5), at: Self.time(60)))
        #expect(Self.words(actions).first == #"limitExceeded weak ["supply_voltage": 11.5]"#)
        #expect(watch.timePassed(to: Self.time(1200)).isEmpty)
        #expect(
            Self.words(watch.figuresMeasured([Reading](report(12.4), at: Self.time(1800)))).first?.hasPrefix(
                "limitCleared"
            ) == true
        )
    }

    @Test("Another vehicle begins with unknown limits, which are published once its topics are in use")
    func vehicle() throws {
        var watch = try Self.watch()
        _ = watch.samplesReceived([try Self.speed(60, at: 1)], primary: Self.engine)
        watch.vehicleChanged()
        #expect(watch.timePassed(to: Self.time(2)).isEmpty)
        #expect(watch.samplesReceived([try Self.speed(60, at: 2)], primary: Self.engine).actions.isEmpty)
        #expect(Self.words(watch.planChanged(Selection(intervals: [:]), [:])) == ["fast ?, weak ?"])
        #expect(watch.planChanged(Selection(intervals: [:]), [:]).isEmpty)
        #expect(watch.reports == nil)
    }

    @Test("After a restart an exceeded limit is not reported again, and its end is reported once")
    func restart() throws {
        var watch = try Self.watch()
        let exceeded = watch.samplesReceived([try Self.speed(60, at: 1)], primary: Self.engine).actions
        #expect(Self.since(exceeded) == Timestamp(milliseconds: 1000))
        let kept = try #require(Self.kept(exceeded))

        var next = try Self.watch(boot: "next")
        #expect(next.restore(kept).isEmpty)
        var actions: [DriveAction] = []
        for (seconds, speed) in [(2, 60), (3, 24), (4, 12), (5, 12)] {
            actions += next.samplesReceived([try Self.speed(UInt8(speed), at: seconds)], primary: Self.engine).actions
        }
        let words = Self.words(actions).filter { !$0.hasPrefix("half") }
        #expect(words == [#"limitCleared fast ["half": 4.0]"#, "fast false, weak ?"])

        var last = try Self.watch()
        #expect(last.restore(Self.kept(actions)).isEmpty)
        let again = last.samplesReceived([try Self.speed(60, at: 9)], primary: Self.engine).actions
        #expect(Self.words(again).contains(#"limitExceeded fast ["half": 20.0]"#))
    }

    @Test("Each event comes with the state right after it")
    func twoEvents() throws {
        var watch = try Self.watch(fast: "supply_voltage > 6")
        let report = ParkingReport(ignition: .off, isParked: true, voltage: 11)
        let states = watch.figuresMeasured([Reading](report, at: Self.time(1))).compactMap { Self.kept([$0]) }
        try #require(states.count == 2)
        for (state, missing) in [(states[0], [#"limitExceeded weak ["supply_voltage": 11.0]"#]), (states[1], [])] {
            var next = try Self.watch(fast: "supply_voltage > 6")
            #expect(next.restore(state).isEmpty)
            let words = Self.words(next.figuresMeasured([Reading](report, at: Self.time(2))))
            #expect(words.filter { $0.hasPrefix("limit") } == missing)
        }
    }

    @Test("A limit with another condition begins anew, also with its former condition later")
    func changed() throws {
        var watch = try Self.watch()
        let exceeded = watch.samplesReceived([try Self.speed(60, at: 1)], primary: Self.engine).actions
        var changed = try Self.watch(fast: "half > 11")
        let kept = try #require(Self.kept(changed.restore(Self.kept(exceeded))))
        let again = changed.samplesReceived([try Self.speed(60, at: 2)], primary: Self.engine).actions
        #expect(Self.words(again).contains(#"limitExceeded fast ["half": 20.0]"#))
        var back = try Self.watch()
        #expect(back.restore(kept).isEmpty)
        let once = back.samplesReceived([try Self.speed(60, at: 3)], primary: Self.engine).actions
        #expect(Self.words(once).contains(#"limitExceeded fast ["half": 20.0]"#))
    }

    @Test("A time without a date is left out after another boot, and gets its date if the clock is set in its own")
    func undated() throws {
        var watch = try Self.watch(.unsynchronised)
        let kept = Self.kept(watch.samplesReceived([try Self.speed(60, at: 1)], primary: Self.engine).actions)
        #expect(watch.timePassed(to: Self.time(2)).isEmpty)

        var other = try Self.watch(boot: "next")
        other.vehicleChanged()
        #expect(other.restore(kept).isEmpty)
        let published = other.planChanged(Selection(intervals: [:]), [:])
        #expect(Self.words(published) == ["fast true, weak ?"] && Self.since(published) == nil)

        var same = try Self.watch()
        #expect(same.restore(kept).isEmpty)
        let actions = same.timePassed(to: Self.time(2))
        #expect(Self.since(actions) == Timestamp(milliseconds: 1000))
        let dated = try #require(Self.kept(actions))
        var third = try Self.watch(boot: "next")
        third.vehicleChanged()
        #expect(third.restore(dated).isEmpty)
        #expect(Self.since(third.planChanged(Selection(intervals: [:]), [:])) == Timestamp(milliseconds: 1000))
        #expect(third.timePassed(to: Self.time(3)).isEmpty)
    }
}
