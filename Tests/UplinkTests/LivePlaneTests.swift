// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

@testable import Uplink

@Suite("The newest payload of each topic")
struct LivePlaneTests {
    /// A payload that contains `number`.
    private static func payload(_ number: Int, time: Int64 = 0) -> LivePayload {
        .codes(
            CodesReport(
                time: Timestamp(milliseconds: time),
                known: true,
                mil: nil,
                codes: [.init(code: "\(number)", ecu: "", states: [], firstSeen: Timestamp(milliseconds: 0))],
                unread: []
            )
        )
    }

    private static func number(_ payload: LivePayload) -> Int? {
        if case .codes(let report) = payload { report.codes.first.flatMap { Int($0.code) } } else { nil }
    }

    private static func number(_ action: LivePlane.UpdateAction) -> Int? {
        if case .publish(let payload) = action { self.number(payload) } else { nil }
    }

    private static func at(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(sinceBoot: .milliseconds(milliseconds))
    }

    private static func due(_ plane: inout LivePlane, _ milliseconds: Int) -> [TopicPath: Int] {
        Dictionary(
            uniqueKeysWithValues: plane.due(at: self.at(milliseconds)).map { ($0.path, Self.number($0.payload) ?? -1) }
        )
    }

    @Test("A topic is published at once, then once a second, always with the newest payload")
    func conflation() {
        var plane = LivePlane(mode: .always)
        plane.connected()
        #expect(Self.number(plane.update(.codes, Self.payload(1), at: Self.at(0))) == 1)
        #expect(Self.number(plane.update(.codes, Self.payload(2), at: Self.at(300))) == nil)
        #expect(Self.number(plane.update(.codes, Self.payload(3), at: Self.at(999))) == nil)
        #expect(Self.due(&plane, 999).isEmpty)
        #expect(Self.due(&plane, 1000) == [.codes: 3])
        #expect(Self.due(&plane, 2500).isEmpty)
        #expect(Self.number(plane.update(.codes, Self.payload(4), at: Self.at(2500))) == 4)
    }

    @Test("A withdrawn position is published although positions are not, so that the broker forgets an earlier one")
    func withdrawal() {
        let now = Self.at(0)
        let report = Self.position(at: 0)
        var off = LivePlane(mode: .off)
        off.connected()
        #expect(!Self.isPublished(off.update(.position, .position(report), at: now)))
        #expect(Self.isPublished(off.update(.position, .withdrawn, at: now)))
        #expect(!Self.isPublished(off.update(.position, .withdrawn, at: now)))
        var exhausted = LivePlane(mode: .always)
        exhausted.connected()
        exhausted.budget = .exhausted
        #expect(Self.isPublished(exhausted.update(.position, .withdrawn, at: now)))
    }

    /// A position that was measured at a time in ms, and is the present one for 10 s.
    private static func position(at milliseconds: Int, latitude: Double = 52.5) -> PositionReport {
        var report = PositionReport(
            time: Timestamp(milliseconds: Int64(milliseconds)),
            clock: .synchronised,
            quality: .good,
            measuredAt: Self.at(milliseconds),
            staleAt: Self.at(milliseconds + 10_000)
        )
        (report.latitude, report.longitude, report.speed, report.heading) = (latitude, 13.4, 50, 90)
        return report
    }

    @Test("A position that waited has the age and the quality of the time at which it is published")
    func age() throws {
        var plane = LivePlane(mode: .always)
        plane.connected()
        _ = plane.update(.position, .position(Self.position(at: 0)), at: Self.at(0))
        // The fixes end after 3 s.
        let last = Self.position(at: 3000, latitude: 52.6)
        #expect(!Self.isPublished(plane.update(.position, .position(last), at: Self.at(3000))))
        guard case .position(let good)? = plane.due(at: Self.at(10_000)).first?.payload else {
            return #expect(Bool(false), "not published")
        }
        #expect(good.quality == .good && good.age == 7 && good.speed == 50)
        // The position becomes stale by itself, and that is news.
        guard case .position(let stale)? = plane.due(at: Self.at(20_000)).first?.payload else {
            return #expect(Bool(false), "not published")
        }
        #expect(stale.quality == .stale && stale.age == 17 && stale.speed == nil && stale.heading == nil)
        #expect(stale.latitude == 52.6 && stale.time == good.time)
        #expect(plane.due(at: Self.at(40_000)).isEmpty)
        // The broker may be another one.
        plane.connected()
        guard case .position(let again)? = plane.due(at: Self.at(100_000)).first?.payload else {
            return #expect(Bool(false), "not published")
        }
        #expect(again.quality == .stale && again.age == 97)
    }

    private static func isPublished(_ action: LivePlane.UpdateAction) -> Bool {
        if case .publish = action { true } else { false }
    }

    @Test("Removed topics that a broker may have are returned, and never published again")
    func removal() {
        var plane = LivePlane(mode: .always)
        _ = plane.update(.monitors, Self.payload(1), at: Self.at(0))
        #expect(plane.remove { $0 == .monitors }.published.isEmpty)
        plane.connected()
        _ = plane.update(.codes, Self.payload(1), at: Self.at(0))
        _ = plane.update(.vehicle, Self.payload(2), at: Self.at(0))
        #expect(plane.remove { $0 == .codes } == (all: [.codes], published: [.codes]))
        #expect(plane.remove { $0 == .codes } == (all: [], published: []))
        plane.connected()
        #expect(Self.due(&plane, 5000) == [.vehicle: 2])
    }

    @Test("A payload without news is published again after 60 seconds, with its new time")
    func refresh() {
        var plane = LivePlane(mode: .always)
        plane.connected()
        _ = plane.update(.codes, Self.payload(1), at: Self.at(0))
        #expect(Self.number(plane.update(.codes, Self.payload(1, time: 5), at: Self.at(59_999))) == nil)
        guard case .publish(.codes(let report)) = plane.update(.codes, Self.payload(1, time: 9), at: Self.at(60_000))
        else {
            Issue.record("not refreshed")
            return
        }
        #expect(report.time.milliseconds == 9)
    }

    @Test("A value that changed and changed back is no news")
    func backAgain() {
        var plane = LivePlane(mode: .always)
        plane.connected()
        _ = plane.update(.codes, Self.payload(1), at: Self.at(0))
        _ = plane.update(.codes, Self.payload(2), at: Self.at(100))
        _ = plane.update(.codes, Self.payload(1), at: Self.at(200))
        #expect(Self.due(&plane, 1000).isEmpty)
    }

    @Test("Without a broker nothing is queued; afterwards each topic is published once")
    func outage() {
        var plane = LivePlane(mode: .always)
        for number in 1...50 {
            #expect(Self.number(plane.update(.codes, Self.payload(number), at: Self.at(number * 2000))) == nil)
        }
        _ = plane.update(.status, Self.payload(7), at: Self.at(1))
        #expect(plane.due(at: Self.at(200_000)).isEmpty)
        plane.connected()
        #expect(Self.due(&plane, 200_000) == [.codes: 50, .status: 7])
        #expect(Self.due(&plane, 200_001).isEmpty)
        plane.disconnected()
        #expect(Self.number(plane.update(.codes, Self.payload(51), at: Self.at(300_000))) == nil)
        // The broker may be another one: unchanged payloads are published again too.
        plane.connected()
        #expect(Self.due(&plane, 300_001) == [.codes: 51, .status: 7])
    }

    @Test("A change of vehicle removes all payloads")
    func anotherVehicle() {
        var plane = LivePlane(mode: .always)
        _ = plane.update(.codes, Self.payload(1), at: Self.at(0))
        plane.removeAll()
        plane.connected()
        #expect(plane.due(at: Self.at(10_000)).isEmpty)
    }

    @Test("A status has news only if more than times and counters differ")
    func statusSameness() {
        var status = AgentStatus(
            agent: "a",
            version: "1",
            time: Timestamp(milliseconds: 0),
            simulated: false,
            vehicleConfirmed: true,
            adapter: .init(address: "x", voltage: 12.5),
            link: .connected,
            problem: nil,
            protocol: nil,
            dialect: nil,
            clock: .synchronised,
            outbox: .init(records: 0, dropped: 0),
            store: .init(bytes: 1, problem: nil),
            sentToday: 0,
            budget: nil,
            dropped: .init(replies: 0, commands: 0)
        )
        var later = status
        (later.time, later.adapter.voltage, later.adapter.rssi) = (Timestamp(milliseconds: 9), 13, -60)
        (later.outbox.records, later.dropped.replies, later.store.bytes, later.sentToday) = (3, 4, 5, 6)
        later.acknowledged = .init(epoch: 7, [.telemetry: 8])
        #expect(!LivePayload.status(later).isNews(after: .status(status)))
        // The counters of a CAN controller change with each error, its state does not.
        status.adapter.can = .init(bitRate: 500_000, state: .active)
        later.adapter.can = .init(bitRate: 500_000, state: .active, transmitErrors: 8, receiveErrors: 1, errorFrames: 9)
        #expect(!LivePayload.status(later).isNews(after: .status(status)))
        later.adapter.can?.state = .busOff
        #expect(LivePayload.status(later).isNews(after: .status(status)))
        later.adapter.can?.state = .active
        later.link = .waiting
        #expect(LivePayload.status(later).isNews(after: .status(status)))
        #expect(LivePayload.status(status).isNews(after: Self.payload(1)))
        var slowed = status
        slowed.budget = .init(bytes: 9, level: .slowed)
        #expect(LivePayload.status(slowed).isNews(after: .status(status)))
    }

    @Test(
        "Whatever the updates, a topic waits a second, and its newest value is published within two",
        arguments: 0..<20
    )
    func property(seed: UInt64) {
        var numbers = SeededNumbers(seed)
        var plane = LivePlane(mode: .always)
        var published: [(milliseconds: Int, number: Int)] = []
        var newest: (milliseconds: Int, number: Int)?
        var connected: Int?
        var nextTick = 0
        var time = 0
        for number in 1...2000 {
            time += Int.random(in: 0...400, using: &numbers)
            while nextTick <= time {
                for (_, said) in Self.due(&plane, nextTick) { published.append((nextTick, said)) }
                nextTick += 1000
                guard let newest, let connected, max(newest.milliseconds, connected) + 2000 <= nextTick else {
                    continue
                }
                #expect(published.last?.number == newest.number)
            }
            switch Int.random(in: 0..<40, using: &numbers) {
            case 0:
                plane.connected()
                connected = time
                published = []
            case 1:
                plane.disconnected()
                connected = nil
            default:
                let value = Int.random(in: 0..<3, using: &numbers) * number
                newest = value == newest?.number ? newest : (time, value)
                if let said = Self.number(plane.update(.codes, Self.payload(value), at: Self.at(time))) {
                    #expect(connected != nil)
                    published.append((time, said))
                }
            }
        }
        for (before, after) in zip(published, published.dropFirst()) {
            #expect(after.milliseconds - before.milliseconds >= 1000)
        }
    }
}
