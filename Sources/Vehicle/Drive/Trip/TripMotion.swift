// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The speed of a trip: its distance, the times of moving and idling, and the harsh maneuvers.
struct TripMotion: Hashable, Sendable {
    /// The speed below which a vehicle counts as standing, in km/h.
    static let standstill = 1.0
    /// The longest time between two readings that show a maneuver, and the shortest over which one is measured.
    ///
    /// A speed in whole km/h over less than a second would show accelerations that do not exist.
    private static let window = (shortest: Duration.milliseconds(900), longest: Duration.milliseconds(2200))
    /// The share of the moving time in which the readings must be dense, so that counts mean something.
    private static let denseShare = 0.9
    /// The difference by which the speed must fall below the limit before another over-speed counts, in km/h.
    private static let overSpeedHysteresis = 3.0

    /// The integral of the speed, in km.
    var distance = 0.0
    /// The time with a known speed, in seconds.
    var watched = 0.0
    var moving = 0.0
    /// The time with a running engine at standstill, in seconds.
    var idling = 0.0
    /// The moving time in which the readings were dense, in seconds.
    var dense = 0.0
    var maximum: Double?
    var brakings = 0
    var accelerations = 0
    /// nil without a limit.
    var overSpeeds: Int?
    private var steps = ReadingSteps()
    /// The reading from which the acceleration is measured.
    private var anchor = ReadingSteps()
    private var isBraking = false
    private var isAccelerating = false
    private var isOverSpeed = false

    /// Takes over a speed in km/h.
    mutating func speedReceived(_ speed: Double, engineRuns: Bool, _ limits: TripLimits, at time: MonotonicTime) {
        self.maximum = max(self.maximum ?? speed, speed)
        self.noteOverSpeed(speed, limits)
        self.noteManeuver(speed, limits, at: time)
        guard let step = self.steps.receive(speed, at: time) else { return }
        self.watched += step.seconds
        self.distance += step.mean / 3600 * step.seconds
        if max(step.from, step.to) >= Self.standstill {
            self.moving += step.seconds
        } else if engineRuns {
            self.idling += step.seconds
        }
    }

    private mutating func noteManeuver(_ speed: Double, _ limits: TripLimits, at time: MonotonicTime) {
        if let last = self.anchor.time, time - last < Self.window.shortest { return }
        let isDense = self.anchor.time.map { time - $0 <= Self.window.longest } ?? false
        guard let step = self.anchor.receive(speed, at: time), isDense else {
            (self.isBraking, self.isAccelerating) = (false, false)
            return
        }
        if max(step.from, step.to) >= Self.standstill { self.dense += step.seconds }
        let acceleration = (step.to - step.from) / 3.6 / step.seconds
        if !self.isBraking, acceleration <= -limits.braking { self.brakings += 1 }
        if !self.isAccelerating, acceleration >= limits.acceleration { self.accelerations += 1 }
        // A maneuver lasts until half of its limit.
        self.isBraking = acceleration <= (self.isBraking ? -limits.braking / 2 : -limits.braking)
        self.isAccelerating = acceleration >= (self.isAccelerating ? limits.acceleration / 2 : limits.acceleration)
    }

    private mutating func noteOverSpeed(_ speed: Double, _ limits: TripLimits) {
        guard let limit = limits.speed else { return }
        let isAbove = speed > (self.isOverSpeed ? limit - Self.overSpeedHysteresis : limit)
        self.overSpeeds = (self.overSpeeds ?? 0) + (isAbove && !self.isOverSpeed ? 1 : 0)
        self.isOverSpeed = isAbove
    }

    /// Whether the readings were dense enough to count maneuvers.
    var countsManeuvers: Bool { self.moving > 0 && self.dense >= self.moving * Self.denseShare }
}
