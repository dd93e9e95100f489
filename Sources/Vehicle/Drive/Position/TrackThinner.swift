// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// Chooses the fixes that a recorded track needs.
///
/// A reader of the track moves along a straight line from each point to the next, at a constant speed. The thinner
/// records a point when any fix in between would be farther than ``tolerance`` from where that reader is at its time.
/// So turns, stops and changes of the speed leave points, and a straight drive leaves one each ``interval``.
package struct TrackThinner: Sendable {
    /// The largest distance in m between a fix and the recorded track at the same time.
    package static let tolerance = 20.0
    /// The longest time between two points of a moving vehicle.
    package static let interval = Duration.seconds(30)
    /// The shortest time between two fixes that are looked at.
    private static let spacing = Duration.seconds(1)
    /// The least distance in m from the last point: the wander of a receiver at rest.
    private static let leastDistance = 15.0
    /// The speed in m/s below which a receiver is at rest, and the distance by which it may wander meanwhile.
    private static let (restSpeed, restDistance) = (0.6, 50.0)
    /// The most fixes between the last point and the newest.
    private static let windowLimit = 40

    /// A point of a recorded track.
    package struct Point: Hashable, Sendable {
        package var coordinate: Coordinate
        package var time: MonotonicTime
        /// Whether the way from the point before is unknown: a tunnel, a place that is withheld, or a new start.
        package var followsGap: Bool

        package init(_ coordinate: Coordinate, at time: MonotonicTime, followsGap: Bool = false) {
            self.coordinate = coordinate
            self.time = time
            self.followsGap = followsGap
        }
    }

    private var last: Point?
    /// The fixes since the last point.
    private var window: [Point] = []
    /// Whether the next fix follows a gap.
    private var isBroken = true

    package init() {}

    /// Takes over an accepted fix.
    ///
    /// - Returns: the points that the track needs, in their order.
    package mutating func received(_ fix: Fix) -> [Point] {
        guard let last = self.last else { return [self.begin(with: fix)] }
        let before = self.window.last ?? last
        let isLate = fix.time - before.time > FixFilter.staleAge
        if self.isBroken || isLate && before.coordinate.distance(to: fix.coordinate) >= Self.leastDistance {
            // Both ends of the gap belong to the track.
            return self.end() + [self.begin(with: fix)]
        }
        guard fix.time - before.time >= Self.spacing else { return [] }
        var point = Point(fix.coordinate, at: fix.time)
        let distance = last.coordinate.distance(to: fix.coordinate)
        if let speed = fix.speed, speed < Self.restSpeed, distance < Self.restDistance {
            point.coordinate = before.coordinate
        }
        var points: [Point] = []
        if self.departs(toward: point), let newest = self.window.last {
            points = [newest]
            (self.last, self.window) = (newest, [])
        }
        self.window.append(point)
        if self.window.count > Self.windowLimit { self.window.removeFirst() }
        if let last = self.last, point.time - last.time >= Self.interval,
            last.coordinate.distance(to: point.coordinate) >= Self.leastDistance
        {
            points.append(point)
            (self.last, self.window) = (point, [])
        }
        return points
    }

    /// Ends the track, because the following fixes do not continue it.
    ///
    /// - Returns: the newest fix, if the track needs it.
    package mutating func end() -> [Point] {
        defer { self.isBroken = true }
        return self.pause()
    }

    /// Completes the track up to now, because the vehicle is parked.
    ///
    /// - Returns: the newest fix, if the track needs it.
    package mutating func pause() -> [Point] {
        defer { self.window = [] }
        guard let last = self.last, let newest = self.window.last,
            last.coordinate.distance(to: newest.coordinate) >= Self.leastDistance
        else { return [] }
        self.last = newest
        return [newest]
    }

    private mutating func begin(with fix: Fix) -> Point {
        let point = Point(fix.coordinate, at: fix.time, followsGap: true)
        (self.last, self.window, self.isBroken) = (point, [], false)
        return point
    }

    /// Returns whether a fix of the window is too far from a straight way from the last point to `end`.
    private func departs(toward end: Point) -> Bool {
        guard let last = self.last else { return false }
        let way = last.coordinate.offset(to: end.coordinate)
        let duration = (end.time - last.time).seconds
        return self.window.contains { point in
            let part = (point.time - last.time).seconds / duration
            let actual = last.coordinate.offset(to: point.coordinate)
            let (east, north) = (actual.east - way.east * part, actual.north - way.north * part)
            return east * east + north * north > Self.tolerance * Self.tolerance
        }
    }
}
