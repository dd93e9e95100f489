// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2
import Testing

@testable import Uplink

@Suite("The rate of live values")
struct LiveModeTests {
    private static let speed = TopicPath.parameter("vehicle_speed", ecu: nil)

    private static func at(_ seconds: Int) -> MonotonicTime { MonotonicTime(sinceBoot: .seconds(seconds)) }

    private static func value(_ speed: Int) -> LivePayload {
        let field = Parameter.named("vehicle_speed")?.fields.first
        let value = field.map { FieldValue(field: $0, value: .number(Double(speed))) }
        let reports = value.map {
            ParameterReport($0, imperial: false, time: Timestamp(milliseconds: 0), ecu: "7E8", quality: .good)
        }
        return reports.map { .parameter($0) } ?? .codes(Self.codes(0))
    }

    private static func codes(_ time: Int64) -> CodesReport {
        CodesReport(time: Timestamp(milliseconds: time), known: true, mil: nil, codes: [], unread: [])
    }

    /// Returns the seconds in which the speed is published.
    ///
    /// It changes every second, or never.
    private static func times(
        _ plane: inout LivePlane,
        _ seconds: ClosedRange<Int>,
        changing: Bool = true
    ) -> [Int] {
        var times: [Int] = []
        for second in seconds {
            for (path, _) in plane.due(at: Self.at(second)) where path == Self.speed { times.append(second) }
            let payload = Self.value(changing ? second % 200 : 7)
            if case .publish = plane.update(Self.speed, payload, at: Self.at(second)) { times.append(second) }
        }
        return times
    }

    private static func plane(_ mode: LivePlane.Mode) -> LivePlane {
        var plane = LivePlane(mode: mode)
        plane.connected()
        return plane
    }

    @Test("Always: once a second; unchanged values once a minute")
    func always() {
        var plane = Self.plane(.always)
        #expect(Self.times(&plane, 0...5) == [0, 1, 2, 3, 4, 5])
        plane = Self.plane(.always)
        #expect(Self.times(&plane, 0...130, changing: false) == [0, 60, 120])
    }

    @Test("On demand: once a minute; unchanged values every ten minutes")
    func onDemand() {
        var plane = Self.plane(.onDemand)
        #expect(Self.times(&plane, 0...130) == [0, 60, 120])
        plane = Self.plane(.onDemand)
        #expect(Self.times(&plane, 0...1300, changing: false) == [0, 600, 1200])
    }

    @Test("The time within which a value comes again is that of the mode and the budget; without values there is none")
    func refresh() {
        var plane = Self.plane(.always)
        #expect(plane.refresh == .seconds(60))
        plane.budget = .slowed
        #expect(plane.refresh == .seconds(600))
        plane.budget = .thinned
        #expect(plane.refresh == .seconds(600))
        plane.budget = .exhausted
        #expect(plane.refresh == nil)
        #expect(Self.plane(.onDemand).refresh == .seconds(600))
        #expect(Self.plane(.off).refresh == nil)
    }

    @Test("Off: values are never published, codes are")
    func off() {
        var plane = Self.plane(.off)
        plane.boost(["vehicle_speed"], for: .seconds(60), at: .zero)
        #expect(Self.times(&plane, 0...130).isEmpty)
        guard case .publish = plane.update(.codes, .codes(Self.codes(0)), at: .zero) else {
            Issue.record("no codes")
            return
        }
    }

    /// Returns the seconds in which a trip is published that goes on for 700 s and is followed by another after 1000 s.
    private static func tripTimes(_ plane: inout LivePlane, until last: Int) -> [Int] {
        (0...last).flatMap { second -> [Int] in
            let isOngoing = second < 700 || second >= 1000
            let duration = Double(isOngoing ? second : 700)
            let report = TripReport(
                start: .init(),
                end: .init(),
                duration: duration,
                moving: duration,
                idling: 0,
                stopped: 0,
                unobserved: 0
            )
            let state = TripState(
                time: Timestamp(milliseconds: Int64(second) * 1000),
                clock: .synchronised,
                ongoing: isOngoing,
                trip: report,
                totals: .init(trips: 0, distance: 0, fuel: nil, energy: nil, regenerated: nil)
            )
            var count = plane.due(at: Self.at(second)).count
            if case .publish = plane.update(.trip, .trip(state), at: Self.at(second)) { count += 1 }
            return Array(repeating: second, count: count)
        }
    }

    @Test("A trip is published each minute, on demand each ten minutes; its begin and its end do not wait")
    func trip() {
        var plane = Self.plane(.always)
        #expect(
            Self.tripTimes(&plane, until: 1100) == Array(stride(from: 0, to: 700, by: 60)) + [
                700, 760, 820, 880, 940, 1000, 1060,
            ]
        )
        for mode in [LivePlane.Mode.onDemand, .off] {
            plane = Self.plane(mode)
            #expect(Self.tripTimes(&plane, until: 1700) == [0, 600, 700, 1000, 1600])
        }
        plane = Self.plane(.always)
        plane.budget = .slowed
        #expect(Self.tripTimes(&plane, until: 1700) == [0, 600, 700, 1000, 1600])
        plane = Self.plane(.always)
        plane.budget = .exhausted
        #expect(Self.tripTimes(&plane, until: 1700) == [0, 700, 1000])
    }

    @Test("A boost publishes its parameters at the full rate for its duration, ten minutes at most")
    func boost() {
        var plane = Self.plane(.onDemand)
        plane.boost(["engine_speed"], for: .seconds(60), at: .zero)
        #expect(Self.times(&plane, 0...50) == [0])
        plane.boost(["vehicle_speed"], for: .seconds(3), at: Self.at(51))
        #expect(Self.times(&plane, 51...120) == [51, 52, 53, 113])
        plane.boost(["vehicle_speed"], for: .seconds(10_000), at: Self.at(200))
        #expect(Self.times(&plane, 200...900) == Array(200...799) + [859])
        plane.boost(["vehicle_speed"], for: .seconds(100), at: Self.at(1000))
        plane.boost(["vehicle_speed"], for: .zero, at: Self.at(1001))
        #expect(Self.times(&plane, 1001...1030) == [1001])
    }

    @Test("As the budget runs out, values become slow, boosted or not, and then stop; codes do not")
    func budget() {
        for mode in [LivePlane.Mode.always, .onDemand] {
            for level in [BudgetLevel.slowed, .thinned] {
                var plane = Self.plane(mode)
                plane.boost(["vehicle_speed"], for: .seconds(600), at: .zero)
                plane.budget = level
                #expect(Self.times(&plane, 0...130) == [0, 60, 120])
            }
            var plane = Self.plane(mode)
            plane.budget = .exhausted
            #expect(Self.times(&plane, 0...130).isEmpty)
            for second in [0, 1, 2] {
                let report = CodesReport(
                    time: Timestamp(milliseconds: 0),
                    known: second == 1,
                    mil: nil,
                    codes: [],
                    unread: []
                )
                guard case .publish = plane.update(.codes, .codes(report), at: Self.at(second)) else {
                    Issue.record("no codes")
                    return
                }
            }
            // The next day.
            plane.budget = .normal
            #expect(Self.times(&plane, 200...201).first == 200)
        }
    }
}
