// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// Notices harsh braking by the vehicle speed at its real rate.
package struct BrakingWatch: Sendable {
    /// The time that two compared speeds are apart: shorter, a step of 1 km/h counts too much; longer, braking is over.
    static let span = Duration.milliseconds(400)...Duration.seconds(3)

    private let limit: Double
    private var last: (speed: Double, time: MonotonicTime)?
    private var isBraking = false

    /// - Parameter limit: the deceleration from which on braking is harsh, in m/s².
    package init(limit: Double = TripLimits().braking) {
        self.limit = limit
    }

    /// Takes over the vehicle speed, in km/h.
    ///
    /// - Returns: whether harsh braking begins.
    package mutating func vehicleSpeedReceived(_ speed: Double, at time: MonotonicTime) -> Bool {
        guard let last = self.last else {
            self.last = (speed, time)
            return false
        }
        let elapsed = time - last.time
        guard elapsed >= Self.span.lowerBound else { return false }
        self.last = (speed, time)
        guard elapsed <= Self.span.upperBound else {
            self.isBraking = false
            return false
        }
        let isHarsh = (last.speed - speed) / 3.6 / elapsed.seconds >= self.limit
        defer { self.isBraking = isHarsh }
        return isHarsh && !self.isBraking
    }
}
