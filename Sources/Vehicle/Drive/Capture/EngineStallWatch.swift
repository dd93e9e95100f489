// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// Notices an engine that stops while the vehicle moves.
///
/// A hybrid vehicle does so all the time, and some others do when they roll. So a vehicle whose engine starts again
/// while it moves has no stalls: a stalled engine seldom does, and a doubtful stall is not reported.
package struct EngineStallWatch: Sendable {
    /// The speed from which on the vehicle moves, in km/h.
    static let movingSpeed = 5.0
    /// The engine speed from which on the engine runs, in revolutions per minute.
    static let runningSpeed = 300.0
    /// The largest age of a vehicle speed.
    static let speedAge = Duration.seconds(5)

    private var isRunning = false
    private var hasStoppedMoving = false
    private var rolls = false
    private var vehicleSpeed: (value: Double, time: MonotonicTime)?

    package init() {}

    /// Takes over the vehicle speed, in km/h.
    package mutating func vehicleSpeedReceived(_ speed: Double, at time: MonotonicTime) {
        self.vehicleSpeed = (speed, time)
        if speed < Self.movingSpeed { self.hasStoppedMoving = false }
    }

    /// Takes over the engine speed, in revolutions per minute.
    ///
    /// - Returns: whether the engine has stalled.
    package mutating func engineSpeedReceived(_ speed: Double, at time: MonotonicTime) -> Bool {
        let moves =
            self.vehicleSpeed.map { $0.value >= Self.movingSpeed && time - $0.time <= Self.speedAge } ?? false
        if speed >= Self.runningSpeed {
            if moves, self.hasStoppedMoving { self.rolls = true }
            (self.isRunning, self.hasStoppedMoving) = (true, false)
            return false
        }
        guard speed == 0, self.isRunning else { return false }
        self.isRunning = false
        guard moves else { return false }
        self.hasStoppedMoving = true
        return !self.rolls
    }
}
