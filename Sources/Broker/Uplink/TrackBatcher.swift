// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// Gathers the points of the vehicle's track into parts, in the form that `telemetry` carries.
///
/// A part covers more time than a batch of samples: the first point of a part costs as much as two others, and a
/// record of its own more than ten.
package struct TrackBatcher: Sendable {
    /// A point of the track.
    package struct Point: Hashable, Sendable {
        package var place: EncodedPolyline.Point
        package var time: MonotonicTime
        /// Whether the way from the point before is unknown.
        package var followsGap: Bool

        package init(_ place: EncodedPolyline.Point, at time: MonotonicTime, followsGap: Bool) {
            self.place = place
            self.time = time
            self.followsGap = followsGap
        }
    }

    /// The largest number of points in a part.
    static let pointLimit = 100
    /// The longest time from the first point of a part to its record.
    static let interval = Duration.seconds(900)

    private var points: [Point] = []

    package init() {}

    /// The time of the first point; nil if there is none.
    package var start: MonotonicTime? { self.points.first?.time }

    /// Adds a point.
    package mutating func append(_ point: Point) { self.points.append(point) }

    /// Returns whether the part is due for its record.
    package func isDue(at now: MonotonicTime) -> Bool {
        guard let start = self.start else { return false }
        return self.points.count >= Self.pointLimit || now - start >= Self.interval
    }

    /// Returns the part; nil if it has no point.
    ///
    /// - Parameter base: the time from which the first point counts.
    package func track(from base: MonotonicTime) -> Telemetry.Track? {
        guard !self.points.isEmpty else { return nil }
        // Each time is rounded by itself, so that the errors do not add up.
        let seconds = self.points.map { Int64(($0.time - base).seconds.rounded()) }
        let gaps = self.points.indices.filter { self.points[$0].followsGap }
        return Telemetry.Track(
            dt: zip(seconds, [0] + seconds).map { $0 - $1 },
            polyline: EncodedPolyline.text(of: self.points.map(\.place)),
            gaps: gaps.isEmpty ? nil : gaps
        )
    }

    /// Returns the part, and begins the next.
    package mutating func take(from base: MonotonicTime) -> Telemetry.Track? {
        defer { self.points = [] }
        return self.track(from: base)
    }
}
