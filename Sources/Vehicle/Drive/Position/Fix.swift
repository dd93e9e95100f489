// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A position that a receiver has determined.
package struct Fix: Hashable, Sendable {
    /// The dimensions that the receiver has determined.
    package enum Dimensions: Hashable, Sendable {
        /// Latitude and longitude.
        case two
        /// Altitude too.
        case three
    }

    package var coordinate: Coordinate
    package var dimensions: Dimensions
    /// The estimated horizontal error in m; nil if the receiver tells none.
    package var accuracy: Double?
    /// The speed over the ground in m/s.
    package var speed: Double?
    /// The direction of the movement in degrees clockwise from true north, 0 to 360; a receiver at rest guesses it.
    package var heading: Double?
    /// The altitude above mean sea level in m.
    package var altitude: Double?
    /// The date and time by the satellites, which may be in a wrong week.
    package var receiverTime: Timestamp?
    /// The time at which the agent received the fix.
    package var time: MonotonicTime

    package init(
        _ coordinate: Coordinate,
        _ dimensions: Dimensions = .three,
        accuracy: Double? = nil,
        speed: Double? = nil,
        heading: Double? = nil,
        altitude: Double? = nil,
        receiverTime: Timestamp? = nil,
        at time: MonotonicTime
    ) {
        self.coordinate = coordinate
        self.dimensions = dimensions
        self.accuracy = accuracy
        self.speed = speed
        self.heading = heading
        self.altitude = altitude
        self.receiverTime = receiverTime
        self.time = time
    }

    /// Returns the time since the agent received the fix.
    package func age(at now: MonotonicTime) -> Duration { max(.zero, now - self.time) }
}
