// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

extension Telemetry {
    /// Places of the vehicle with their times: a part of its track.
    package struct Track: Encodable, Hashable, Sendable {
        /// The seconds from `t0` to the first point, which may be negative, and from each point to the next.
        package var dt: [Int64]
        /// The points as an encoded polyline with five decimals.
        package var polyline: String
        /// The indices of the points whose way from the point before is unknown; nil if there is none.
        package var gaps: [Int]?

        package init(dt: [Int64], polyline: String, gaps: [Int]? = nil) {
            self.dt = dt
            self.polyline = polyline
            self.gaps = gaps
        }

        /// Reads the encoded form; nil if `json` is no track.
        init?(_ json: JSON) {
            guard case .object(let members) = json, let dt = members["dt"]?.integers,
                let polyline = members["polyline"]?.string
            else { return nil }
            self.init(dt: dt, polyline: polyline)
            guard let gaps = members["gaps"] else { return }
            guard let indices = gaps.integers else { return nil }
            self.gaps = indices.map { Int(clamping: $0) }
        }
    }

    /// A point of a track, with its time.
    package struct TrackPoint: Hashable, Sendable {
        package var time: Timestamp
        package var latitude: Double
        package var longitude: Double
        /// Whether the way from the point before is unknown.
        package var followsGap: Bool

        /// The names of the columns of exported points.
        package static let columns = ["vehicle", "time", "clock", "latitude", "longitude", "follows_gap"]

        /// Returns the cells of the exported row.
        package func cells(of vehicle: String, _ clock: ClockQuality) -> [JSON] {
            [
                .string(vehicle), .string(self.time.description), .string(clock.rawValue), .number(self.latitude),
                .number(self.longitude), .bool(self.followsGap),
            ]
        }
    }
}

extension Telemetry.Track {
    /// Returns the points; nil if the parts do not fit together, or a time overflows.
    ///
    /// - Parameter start: the record's own time, `t0`.
    package func points(from start: Timestamp) -> [Telemetry.TrackPoint]? {
        guard let places = EncodedPolyline.points(of: self.polyline), places.count == self.dt.count else { return nil }
        let gaps = Set(self.gaps ?? [])
        var seconds: Int64 = 0
        var points: [Telemetry.TrackPoint] = []
        for (index, (dt, place)) in zip(self.dt, places).enumerated() {
            let (sum, overflow) = seconds.addingReportingOverflow(dt)
            guard !overflow, sum.magnitude < 1 << 40 else { return nil }
            seconds = sum
            points.append(
                Telemetry.TrackPoint(
                    time: start + .seconds(seconds),
                    latitude: place.degreesNorth,
                    longitude: place.degreesEast,
                    followsGap: gaps.contains(index)
                )
            )
        }
        return points
    }
}
