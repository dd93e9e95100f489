// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import Session
import Simulator
import Synchronization
import Testing

@Suite("Hundreds of parameters of one make", .timeLimit(.minutes(10)))
struct ManyParametersTests {
    private static let standard: [UInt8] = [0x04, 0x05, 0x0C, 0x0D, 0x0F, 0x11]

    /// The measurements of a session over two minutes, after the trials of the adapter.
    private struct Measurement {
        static let duration = Duration.seconds(120)

        var log: EventLog.Contents
        /// The number of header changes per minute.
        var headerChanges: Int
        var achieved: [ParameterKey: Duration]
        var unsupported: [ParameterKey]
        /// The times of the samples, by parameter name.
        var times: [String: [MonotonicTime]] = [:]

        /// Returns the mean time between two samples of a parameter, in seconds.
        func interval(_ name: String) throws -> Double {
            let times = self.times[name] ?? []
            let (first, last) = (try #require(times.first, "\(name)"), try #require(times.last))
            try #require(times.count > 1, "\(name)")
            return (last - first).seconds / Double(times.count - 1)
        }

        func longestGap(_ name: String) -> Double {
            let times = self.times[name] ?? []
            return zip(times, times.dropFirst()).map { ($1 - $0).seconds }.max() ?? .infinity
        }
    }

    private static func measure(
        standard: Duration,
        _ parameters: [CustomParameter],
        every interval: Duration
    ) async throws -> Measurement {
        var vehicle = SimulatedVehicle.Options(ManyECUs.model)
        vehicle.ecus = 1
        var intervals = Dictionary(uniqueKeysWithValues: parameters.map { (ParameterKey.custom($0.name), interval) })
        for pid in Self.standard { intervals[.pid(PID(rawValue: pid))] = standard }
        let timing = try #require(LinkTiming.named("ble-30"))
        let rig = Rig(intervals, vehicle: vehicle, link: timing, custom: parameters)
        // The trials of the adapter have been made.
        let start = rig.clock.now + .seconds(320)
        let end = start + Measurement.duration
        let result = Mutex<(before: Int?, after: Int, achieved: [ParameterKey: Duration], unsupported: [ParameterKey])>(
            (nil, 0, [:], [])
        )
        let log = try await rig.run {
            for await _ in rig.events where rig.clock.now >= start {
                let changes = await rig.session.headerChanges
                result.withLock { $0.before = $0.before ?? changes }
                guard rig.clock.now >= end else { continue }
                let (achieved, unsupported) = (await rig.session.achieved ?? [:], await rig.session.unsupported)
                result.withLock { ($0.after, $0.achieved, $0.unsupported) = (changes, achieved, unsupported) }
                return
            }
        }
        return result.withLock { result in
            var measurement = Measurement(
                log: log,
                headerChanges: (result.after - (result.before ?? 0)) * 60 / Int(Measurement.duration.seconds),
                achieved: result.achieved,
                unsupported: result.unsupported
            )
            for sample in log.samples where start...end ~= sample.time {
                measurement.times[sample.value.field.name, default: []].append(sample.time)
            }
            return measurement
        }
    }

    @Test("300 parameters of twelve ECUs take no time from the standard parameters")
    func standardFirst() async throws {
        let set = try ManyECUs.parameters()
        #expect(set.count == 300 && Set(set.map(\.request)).count == 64)
        let measurement = try await Self.measure(standard: .seconds(1), set, every: .seconds(5))
        #expect(measurement.log.wrong.isEmpty, "\(measurement.log.wrong.prefix(3))")
        #expect(measurement.log.dropped == 0 && measurement.unsupported.isEmpty)
        for name in ["engine_speed", "coolant_temperature", "throttle_position"] {
            // If the session polled by urgency alone, it would read these only every three seconds.
            #expect((0.97...1.03).contains(try measurement.interval(name)), "\(name)")
            #expect(measurement.longestGap(name) < 1.75, "\(name)")
            let pid = try #require(Parameter.named(name)?.pid)
            #expect(measurement.achieved[.pid(pid)] == .seconds(1))
        }
        let intervals = try set.map { try measurement.interval($0.name) }.sorted()
        print(
            "300 parameters:",
            measurement.headerChanges,
            "header changes a minute, every",
            intervals[0],
            "to",
            intervals[299],
            "s"
        )
        #expect(intervals[299] < 25)
        // The intervals that the session reports are roughly the measured ones.
        let told = try set.map { parameter in
            try #require(measurement.achieved[.custom(parameter.name)]).seconds
                / (try measurement.interval(parameter.name))
        }.sorted()
        #expect((0.7...1.3).contains(told[150]), "\(told[150])")
        // One visit a second changes the header twice. Changes from one ECU to the next are rare.
        #expect(measurement.headerChanges < 150)
    }

    @Test("A standard parameter that is wanted ten times a second is read eight times, whatever else there is")
    func tenTimesASecond() async throws {
        let measurement = try await Self.measure(
            standard: .milliseconds(100),
            try ManyECUs.parameters(),
            every: .seconds(5)
        )
        let interval = try measurement.interval("engine_speed")
        #expect(interval < 0.13, "\(interval)")
        let told = try #require(measurement.achieved[0x0C]).seconds
        #expect((0.9...1.1).contains(told / interval))
        #expect(measurement.longestGap("engine_speed") < 1.75)
        #expect(measurement.headerChanges < 40)
        let set = try ManyECUs.parameters()
        #expect(set.allSatisfy { measurement.times[$0.name] != nil })
        print("10 Hz: every", interval, "s,", measurement.headerChanges, "header changes a minute")
    }

    @Test("What is due of an ECU is read in one visit")
    func together() async throws {
        let first = try ManyECUs.parameters().filter { $0.name.hasPrefix("ecu0_") || $0.name.hasPrefix("ecu1_") }
        #expect(Set(first.map(\.request)).count == 22)
        let measurement = try await Self.measure(standard: .seconds(5), first, every: .seconds(20))
        #expect(try first.allSatisfy { (18...22).contains(try measurement.interval($0.name)) })
        // The session visits each of the two ECUs three times a minute. With nine requests a visit, it would need
        // five visits every 20 s.
        print("22 requests of two ECUs:", measurement.headerChanges, "header changes a minute")
        #expect(measurement.headerChanges <= 16)
    }

    @Test("A silent ECU and a refused request are put aside, which is said once, and cost nothing more")
    func strangers() async throws {
        let (set, strangers) = (Array(try ManyECUs.parameters().prefix(50)), try ManyECUs.strangers())
        let measurement = try await Self.measure(standard: .seconds(1), set + strangers, every: .seconds(5))
        #expect(measurement.log.wrong.isEmpty)
        let silent = strangers.filter { $0.request?.destination == ManyECUs.destination(ManyECUs.absent) }
        #expect(measurement.log.silences.map(\.destination) == [try #require(ManyECUs.destination(ManyECUs.absent))])
        #expect(measurement.log.silences.first?.parameters == silent.map(\.name).sorted())
        #expect(measurement.unsupported == strangers.map { ParameterKey.custom($0.name) }.sorted())
        #expect(strangers.allSatisfy { measurement.achieved[.custom($0.name)] == nil })
        // The session asks in the first half minute, and perhaps again when a drive begins.
        #expect((3...6).contains(measurement.log.lines.count { $0 == "ATSH7C0" }))
        #expect((2...4).contains(measurement.log.lines.count { $0 == "2230C8" }))
        let intervals = try set.map { try measurement.interval($0.name) }
        #expect(intervals.allSatisfy { $0 < 5.5 }, "\(intervals.max() ?? 0)")
    }
}
