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
import Testing
import Uplink

@testable import Agent

@Suite("Computed values and limits, as they are published")
struct ComputedWatchTests {
    private static let engine = ECUAddress.can11(0x7E8)

    private static func time(_ seconds: Int) -> MonotonicTime { MonotonicTime(sinceBoot: .seconds(seconds)) }

    private static func watch(_ clock: ClockQuality = .synchronised) throws -> ComputedWatch {
        var computed = Configuration.Computed()
        computed.derived = [
            DerivedParameter(
                Field(derived: "half", symbol: "km/h", resolution: 0.1),
                ways: [DerivedParameter.Way(try Expression("vehicle_speed / 3"), assumes: "nothing")]
            )
        ]
        let condition = try Condition("half > 10")
        computed.limits = [
            LimitRule("fast", when: condition, clear: condition.cleared(at: 5)),
            LimitRule("weak", when: try Condition("supply_voltage < 12")),
        ]
        var watch = ComputedWatch(
            computed,
            ContractMapping(clock: StandingClock(quality: clock), isImperial: false)
        )
        let derivation = Derivation(way: 0, values: ["vehicle_speed": "vehicle_speed"], interval: .seconds(1))
        _ = watch.planChanged(Selection(intervals: [.derived("half"): .seconds(1)]), ["half": derivation])
        return watch
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
            case .record(let event): "\(event.event) \(event.limit?.name ?? "") \(event.limit?.values ?? [:])"
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
        #expect(watch.supplyMeasured(report(nil), at: Self.time(1)).isEmpty)
        let actions = watch.supplyMeasured(report(11.5), at: Self.time(60))
        #expect(Self.words(actions).first == #"limitExceeded weak ["supply_voltage": 11.5]"#)
        #expect(watch.timePassed(to: Self.time(1200)).isEmpty)
        #expect(
            Self.words(watch.supplyMeasured(report(12.4), at: Self.time(1800))).first?.hasPrefix("limitCleared") == true
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
}
