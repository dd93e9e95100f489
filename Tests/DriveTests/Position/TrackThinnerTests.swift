// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Drive

@Suite("The thinning of a track")
struct TrackThinnerTests {
    /// The largest distance between the fixes and the track at the same time.
    private func largestError(of track: [TrackThinner.Point], to fixes: [Fix]) -> Double {
        fixes.map { fix in
            guard let index = track.firstIndex(where: { $0.time >= fix.time }) else {
                return track.last?.coordinate.distance(to: fix.coordinate) ?? .infinity
            }
            let (end, start) = (track[index], track[max(0, index - 1)])
            guard end.time > start.time else { return end.coordinate.distance(to: fix.coordinate) }
            let part = (fix.time - start.time).seconds / (end.time - start.time).seconds
            let way = start.coordinate.offset(to: end.coordinate)
            let actual = start.coordinate.offset(to: fix.coordinate)
            let (east, north) = (actual.east - way.east * part, actual.north - way.north * part)
            return (east * east + north * north).squareRoot()
        }.max() ?? 0
    }

    @Test("A straight drive leaves a point each 30 seconds")
    func straight() {
        var (drive, thinner) = (ReceiverOnRoad(speed: 33), TrackThinner())
        let points = drive.fixes(600).flatMap { thinner.received($0) }
        #expect(points.count == 20)
        #expect(zip(points, points.dropFirst()).allSatisfy { $1.time - $0.time == .seconds(30) })
    }

    @Test("A turn leaves a point at the corner")
    func turn() {
        var (drive, thinner) = (ReceiverOnRoad(), TrackThinner())
        var points = drive.fixes(10).flatMap { thinner.received($0) }
        let corner = drive.place
        drive.heading = 0
        points += drive.fixes(10).flatMap { thinner.received($0) } + thinner.end()
        #expect(points.count == 3)
        #expect(points[1].coordinate.distance(to: corner) <= TrackThinner.tolerance)
    }

    @Test("A stop at a lamp leaves its begin and its end, however long it is")
    func stop() {
        var (drive, thinner) = (ReceiverOnRoad(), TrackThinner())
        var fixes = drive.fixes(20)
        drive.speed = 0
        fixes += drive.fixes(300)
        drive.speed = 15
        fixes += drive.fixes(20)
        let points = fixes.flatMap { thinner.received($0) } + thinner.end()
        #expect((4...6).contains(points.count))
        #expect(self.largestError(of: points, to: fixes) <= TrackThinner.tolerance * 1.5)
    }

    @Test("The wander of a receiver at rest leaves no points")
    func wander() {
        var (drive, thinner) = (ReceiverOnRoad(speed: 0), TrackThinner())
        let place = drive.place
        var count = 0
        for second in 0..<3600 {
            drive.wait(1)
            drive.place = place.moved(by: Double(second % 30), toward: Double(second % 360))
            count += thinner.received(drive.fix).count
        }
        #expect(count == 1)
    }

    @Test("No fix is farther from the track than the tolerance, on a hundred random drives", arguments: 1...100)
    func random(seed: UInt64) {
        var numbers = Numbers(seed: seed)
        var (drive, thinner) = (ReceiverOnRoad(seed % 2 == 0 ? 52 : -17, seed % 3 == 0 ? 179.99 : 13), TrackThinner())
        var fixes: [Fix] = []
        for _ in 0..<40 {
            drive.speed = [0, 5, 14, 14, 25, 36][numbers.next(6)]
            drive.heading += Double(numbers.next(181)) - 90
            fixes += drive.fixes(5 + numbers.next(60))
        }
        let points = fixes.flatMap { thinner.received($0) } + thinner.end()
        // A fix within the least distance of the end of the track leaves no point of its own.
        #expect(self.largestError(of: points, to: fixes) <= TrackThinner.tolerance + 3)
        #expect(points.count < fixes.count / 6)
        #expect(points.filter(\.followsGap).count == 1)
    }

    @Test("A tunnel leaves both of its ends, and the second one follows a gap")
    func tunnel() {
        var (drive, thinner) = (ReceiverOnRoad(speed: 25), TrackThinner())
        let before = drive.fixes(12)
        drive.drive(40)
        let after = drive.fixes(3)
        let points = (before + after).flatMap { thinner.received($0) }
        #expect(points.map(\.time) == [before[0].time, before[11].time, after[0].time])
        #expect(points.map(\.followsGap) == [true, false, true])
    }

    @Test("A hundred fixes a second leave no more points than one")
    func flood() {
        var (drive, thinner) = (ReceiverOnRoad(speed: 30), TrackThinner())
        var count = 0
        for step in 0..<6000 {
            var fix = drive.fix
            fix.time = drive.now + .milliseconds(10 * step)
            fix.coordinate = drive.place.moved(by: 0.3 * Double(step), toward: step / 500 % 2 == 0 ? 90 : 45)
            count += thinner.received(fix).count
        }
        #expect(count <= 60)
    }

    /// Repeatable numbers.
    private struct Numbers {
        private var state: UInt64

        init(seed: UInt64) { self.state = seed &* 0x9E37_79B9_7F4A_7C15 }

        /// Returns a number from 0 up to `limit`.
        mutating func next(_ limit: Int) -> Int {
            self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(self.state >> 33) % limit
        }
    }
}
