// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Session
import Simulator
import Synchronization
import Testing

@Suite("How much a session reads over each link", .timeLimit(.minutes(10)))
struct ThroughputTests {
    /// A link with its highest sample rates, in samples per second, for requests of one PID and of six.
    ///
    /// A request leaves at a connection event and its answer arrives at one, so a cycle takes (ceil(R / CI) + 1) × CI.
    /// R is the time of serial line, adapter and ECU; CI is the connection interval.
    struct Limit: Sendable, CustomTestStringConvertible {
        let link: String
        /// The rates for one PID: with the adapter's own wait, and with a frame count instead.
        let alone: (waiting: Double, counted: Double)
        let together: (waiting: Double, counted: Double)
        /// The share of the rate `together.counted` that a session must reach.
        var share = 0.9

        var testDescription: String { self.link }
    }

    private static let limits = [
        Limit(link: "ble-30", alone: (11.1, 16.7), together: (55.6, 83.3), share: 0.95),
        Limit(link: "ble-30-1", alone: (11.1, 16.7), together: (44.4, 47.6)),
        Limit(link: "ble-15", alone: (13.3, 33.3), together: (66.7, 121.2)),
        Limit(link: "ble-7.5", alone: (16.7, 44.4), together: (83.3, 177.8), share: 0.95),
        Limit(link: "wifi", alone: (17.7, 57.6), together: (86.6, 232.3)),
        Limit(link: "spp", alone: (12.4, 24.2), together: (61.2, 109.8)),
        Limit(link: "usb", alone: (19.0, 74.9), together: (93.0, 285.3)),
    ]

    /// Twenty PIDs of one and two bytes.
    private static let pids: [UInt8] = [
        0x04, 0x05, 0x06, 0x07, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x1F, 0x21, 0x2F, 0x33, 0x42, 0x43, 0x46,
        0x49, 0x5C,
    ]

    /// Returns the samples per second over 30 s of a settled session, and the rate that the session reports.
    private static func rate(
        _ link: String,
        counts: Bool = true,
        pidLimit: PIDLimit = .silence(above: 6)
    ) async throws -> (samples: Double, achieved: Double) {
        var vehicle = SimulatedVehicle.Options()
        (vehicle.ecus, vehicle.pidLimit) = (1, pidLimit)
        var adapter = SimulatedAdapter.Options()
        adapter.ignoresResponseCount = !counts
        let intervals = Dictionary(
            uniqueKeysWithValues: Self.pids.map { (ParameterKey.pid(PID(rawValue: $0)), Duration.milliseconds(20)) }
        )
        let timing = try #require(LinkTiming.named(link))
        let rig = Rig(intervals, vehicle: vehicle, adapter: adapter, link: timing)
        // The trials that do not make polling faster begin a minute after the first poll.
        let start = rig.clock.now + .seconds(28)
        let end = start + .seconds(30)
        let told = AchievedRate()
        let log = try await rig.run {
            for await _ in rig.events where rig.clock.now >= end {
                await told.set(rig.session.achieved ?? [:])
                return
            }
        }
        #expect(log.wrong.count == 0, "\(log.wrong.prefix(3))")
        // The session starves no parameter in favor of others.
        let settled = log.samples.filter { start...end ~= $0.time }
        let counts = settled.reduce(into: [:]) { $0[$1.value.field.name, default: 0] += 1 }
        #expect(counts.count == Self.pids.count)
        let (least, most) = (counts.values.min() ?? 0, counts.values.max() ?? 0)
        #expect(Double(least) > Double(most) * 0.8, "\(counts)")
        let achieved = await told.intervals.values.reduce(0) { $0 + 1 / $1.seconds }
        return (Double(settled.count) / 30, achieved)
    }

    @Test("A link is used to its limit, and what is told of it is true", arguments: Self.limits)
    func limit(limit: Limit) async throws {
        let counted = try await Self.rate(limit.link)
        let waiting = try await Self.rate(limit.link, counts: false)
        let alone = try await Self.rate(limit.link, pidLimit: .silence(above: 1))
        let waitingAlone = try await Self.rate(limit.link, counts: false, pidLimit: .silence(above: 1))
        #expect(counted.samples >= limit.together.counted * limit.share)
        #expect(waiting.samples >= limit.together.waiting * 0.9)
        #expect(alone.samples >= limit.alone.counted * 0.9)
        #expect(waitingAlone.samples >= limit.alone.waiting * 0.9)
        for rate in [counted, waiting, alone, waitingAlone] {
            #expect((0.9...1.1).contains(rate.achieved / rate.samples), "\(rate)")
        }
    }

    /// The number of written lines after which the session knows the limits of the vehicle and the link.
    private static let settledLines = 1200

    @Test("Who reads a parameter while the link is used to its limit waits for two cycles at most", arguments: 0..<12)
    func reading(offset: Int) async throws {
        var vehicle = SimulatedVehicle.Options()
        vehicle.ecus = 1
        let intervals = Dictionary(
            uniqueKeysWithValues: Self.pids.map { (ParameterKey.pid(PID(rawValue: $0)), Duration.milliseconds(20)) }
        )
        let timing = try #require(LinkTiming.named("ble-30"))
        // The caller asks for the bus at the worst moment: when a request leaves.
        let (departures, depart) = AsyncStream.makeStream(of: String.self)
        let (permits, permit) = AsyncStream.makeStream(of: Void.self)
        let lines = Mutex(0)
        let rig = Rig(
            intervals,
            vehicle: vehicle,
            link: timing,
            watcher: { line, _ in
                guard (lines.withLock { ($0 += 1, $0).1 }) == Self.settledLines + offset else { return }
                depart.yield(line)
                for await _ in permits { break }
            }
        )
        try await rig.run {
            var departing: String?
            for await line in departures {
                departing = line
                break
            }
            let start = rig.clock.now
            async let reading = rig.session.withBus { lease throws(SessionError) in
                var ends: [MonotonicTime] = []
                for _ in 0..<5 {
                    guard case .answered = try await lease.ask(.currentData([0x0C])) else { break }
                    ends.append(rig.clock.now)
                }
                return ends
            }
            for await _ in rig.queued { break }
            permit.yield()
            let ends = try await reading
            try #require(ends.count == 5)
            // The request under way and this one take two connection events each. A request of PID 01 takes three,
            // because the adapter waits for its own time after the answer.
            let underWay = departing == "0101" ? Duration.milliseconds(90) : .milliseconds(60)
            #expect(ends[0] - start <= underWay + .milliseconds(60))
            #expect(ends[4] - ends[3] <= .milliseconds(60))
        }
    }
}

/// The achieved intervals that a session reports.
private actor AchievedRate {
    private(set) var intervals: [ParameterKey: Duration] = [:]

    func set(_ intervals: [ParameterKey: Duration]) { self.intervals = intervals }
}
