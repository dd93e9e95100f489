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
    package var age: Int
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

    package init(time: Timestamp, clock: ClockQuality, quality: Quality, age: Int) {
        self.time = time
        self.clock = clock
        self.quality = quality
        self.age = age
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
