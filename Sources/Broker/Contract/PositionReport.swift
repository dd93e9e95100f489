// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The payload of `position`: where the vehicle is, or was when it was last known.
package struct PositionReport: Encodable, Hashable, Sendable {
    /// The trust in the position.
    package enum Quality: String, CaseIterable, Encodable, Hashable, Sendable {
        /// The present position.
        case good
        /// The last position, because there is no fix now, as in a tunnel.
        case stale
        /// The last position, because the present fixes are impossible.
        case jumping
        /// No position, because the vehicle is in a zone.
        case withheld
    }

    package let v = 1
    /// The time of the fix.
    package var time: Timestamp
    /// Whether that time is from a synchronized clock.
    package var clock: ClockQuality
    package var quality: Quality
    /// The seconds from the fix to the publication.
    package private(set) var age = 0
    /// The name of the zone that the vehicle is in.
    package var zone: String?
    /// The latitude in degrees north.
    package var latitude: Double?
    /// The longitude in degrees east.
    package var longitude: Double?
    /// The estimated horizontal error in m.
    package var accuracy: Double?
    /// The speed over the ground in km/h.
    package var speed: Double?
    /// The direction of the movement in degrees clockwise from true north.
    package var heading: Double?
    /// The altitude above mean sea level in m.
    package var altitude: Double?

    /// The time of the fix on the monotonic clock, and the time from which its position is no longer the present one.
    private let (measuredAt, staleAt): (MonotonicTime, MonotonicTime)

    private enum CodingKeys: String, CodingKey {
        case v, time, clock, quality, age, zone, latitude, longitude, accuracy, speed, heading, altitude
    }

    package init(
        time: Timestamp,
        clock: ClockQuality,
        quality: Quality,
        measuredAt: MonotonicTime,
        staleAt: MonotonicTime
    ) {
        self.time = time
        self.clock = clock
        self.quality = quality
        (self.measuredAt, self.staleAt) = (measuredAt, staleAt)
    }

    /// Returns the report as it is published at a time: a report may have waited for its turn.
    package func told(at now: MonotonicTime) -> PositionReport {
        var report = self
        report.age = Int(clamping: max(.zero, now - self.measuredAt).milliseconds / 1000)
        guard report.quality == .good, now > self.staleAt else { return report }
        report.quality = .stale
        (report.speed, report.heading) = (nil, nil)
        return report
    }

    /// The least distance of two positions that is news: 0.0002°, some 20 m.
    private static let leastChange = 0.0002

    /// Whether this is worth a message after `earlier`: another place or quality, not another time alone.
    package func differsSignificantly(from earlier: PositionReport) -> Bool {
        guard self.quality == earlier.quality, self.zone == earlier.zone, let latitude = self.latitude,
            let longitude = self.longitude, let before = earlier.latitude, let side = earlier.longitude
        else { return self.quality != earlier.quality || self.zone != earlier.zone }
        return (latitude - before).magnitude >= Self.leastChange || (longitude - side).magnitude >= Self.leastChange
    }
}
