// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The limits above which a trip counts an event.
package struct TripLimits: Hashable, Sendable {
    /// The deceleration of a harsh braking, in m/s².
    package var braking: Double
    /// The acceleration of a harsh acceleration, in m/s².
    package var acceleration: Double
    /// The speed of an over-speed, in km/h; nil counts none.
    package var speed: Double?

    package init(braking: Double = 4, acceleration: Double = 3.5, speed: Double? = nil) {
        self.braking = braking
        self.acceleration = acceleration
        self.speed = speed
    }
}
