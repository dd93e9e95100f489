// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2
import Store
import TestSupport
import Testing

@testable import Uplink

@Suite("Parts of a track")
struct TrackBatcherTests {
    private static func point(_ seconds: Double, _ step: Int, followsGap: Bool = false) -> TrackBatcher.Point {
        TrackBatcher.Point(
            EncodedPolyline.Point(latitude: 5_250_000, longitude: 1_340_000 + step),
            at: .zero + .milliseconds(Int(seconds * 1000)),
            followsGap: followsGap
        )
    }

    @Test("Times are rounded one by one, so that their errors do not add up")
    func rounding() throws {
        var batcher = TrackBatcher()
        for step in 0..<50 { batcher.append(Self.point(100 + 1.4 * Double(step), step, followsGap: step % 20 == 0)) }
        let taken = batcher.take(from: .zero + .milliseconds(130_300))
        let track = try #require(taken)
        #expect(track.dt.first == -30)
        #expect(track.dt.reduce(0, +) == 38)
        #expect(track.gaps == [0, 20, 40])
        #expect(batcher.start == nil)
        let points = try #require(track.points(from: Timestamp(milliseconds: 1_000_000)))
        #expect(points.count == 50)
        #expect(points.last?.longitude == 13.40049)
    }

    @Test("A part is due after 15 minutes, or with a hundred points")
    func due() {
        var batcher = TrackBatcher()
        #expect(!batcher.isDue(at: .zero + .seconds(10_000)))
        batcher.append(Self.point(10, 0))
        #expect(!batcher.isDue(at: .zero + .seconds(909)))
        #expect(batcher.isDue(at: .zero + .seconds(910)))
        for step in 1..<100 { batcher.append(Self.point(10, step)) }
        #expect(batcher.isDue(at: .zero + .seconds(10)))
    }

    @Test("A part of a straight motorway takes at most twelve bytes a point, its share of the record included")
    func bytes() throws {
        var batcher = TrackBatcher()
        // 36 m/s, toward the north-east, a point each 30 s.
        for step in 0..<30 {
            batcher.append(
                TrackBatcher.Point(
                    EncodedPolyline.Point(latitude: 5_250_000 + 687 * step, longitude: 1_340_000 + 1120 * step),
                    at: .zero + .seconds(30 * step),
                    followsGap: step == 0
                )
            )
        }
        let taken = batcher.take(from: .zero)
        let track = try #require(taken)
        let with = try PayloadEncoder.bytes(of: Telemetry(series: [:], track: track)).count
        let without = try PayloadEncoder.bytes(of: Telemetry(series: [:])).count
        #expect(with - without <= 12 * 30)
    }

    @Test("A due part goes with the samples of the time, or in a record of its own, and into the draft before")
    func recorder() throws {
        var recorder = SampleRecorder(batchInterval: .seconds(10))
        recorder.add(Self.point(0, 0, followsGap: true))
        recorder.add(Self.point(30, 9))
        #expect(recorder.flush(at: .zero + .seconds(899)) == nil)
        let draft = try #require(recorder.draft(of: "van"))
        let json = try JSON(parsing: draft.body, depthLimit: 8)
        #expect(json["track"]["dt"].elements == [0, 30])
        #expect(json["series"] == .object([:]))
        let flushed = recorder.flush(at: .zero + .seconds(900))
        let own = try #require(flushed)
        #expect(own.start == .zero)
        #expect(own.series.isEmpty)
        #expect(own.track?.dt == [0, 30])
        #expect(recorder.take() == nil)
        recorder.add(Self.point(1000, 10))
        _ = recorder.add(
            Uplink.Sample(
                series: "engine_speed",
                ecu: "7E8",
                scale: 0.25,
                steps: 3250,
                time: .zero + .milliseconds(1_002_700)
            ),
            of: "van",
            at: .normal
        )
        let taken = recorder.take()
        let both = try #require(taken)
        #expect(both.series.count == 1)
        #expect(both.track?.dt == [-3])
        #expect(both.track?.gaps == nil)
    }
}
