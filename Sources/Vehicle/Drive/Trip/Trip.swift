// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// A trip of a vehicle: the finished one, or what is known of the present one.
///
/// An unknown figure is nil.
package struct Trip: Hashable, Sendable {
    package var start: TripPoint
    /// The last sign of the drive, and the state of the vehicle then.
    package var end: TripPoint
    /// The boot of the machine whose clock has both times; nil for the current one.
    package var boot: MachineBoot?
    /// Whether the trip is over.
    package var isFinished: Bool
    /// The distance in km, its source, and the largest error in km if that is known.
    package var distance: Double?
    package var distanceSource: DistanceSource?
    package var distanceError: Double?
    /// The seconds in which that distance was driven: fewer than the trip has if its start was not read.
    package var distanceWatched: Double?
    /// Seconds: with a speed, with a running engine at standstill, and the rest at standstill.
    package var moving: Double
    package var idling: Double
    package var stopped: Double
    /// The seconds in which the agent read nothing.
    package var unobserved: Double
    /// km/h; the mean over the time of the distance.
    package var meanSpeed: Double?
    package var maximumSpeed: Double?
    /// The fuel in L, the value from which it was integrated, and the seconds in which that was known.
    package var fuel: Double?
    package var fuelSource: String?
    package var fuelWatched: Double?
    /// L per 100 km in the observed part of the trip; nil if that is too small.
    package var fuelConsumption: Double?
    /// The energy out of the traction battery and back into it in kWh, and the seconds in which it was known.
    package var energy: Double?
    package var regenerated: Double?
    package var energySource: EnergySource?
    package var energyWatched: Double?
    /// kWh per 100 km in the observed part of the trip, less what was returned.
    package var energyConsumption: Double?
    /// nil if the engine did not turn, or its speed or load is not known.
    package var engineSpeeds: TimeBands?
    package var engineLoads: TimeBands?
    /// The temperature of the coolant at the start, in °C.
    package var coolantAtStart: Double?
    /// nil if the speed was read too rarely.
    package var harshBrakings: Int?
    package var harshAccelerations: Int?
    package var overSpeeds: Int?
    package var codesAppeared: [String]
    package var codesGone: [String]

    /// The source of a distance.
    package enum DistanceSource: String, CaseIterable, Hashable, Sendable {
        case odometer
        /// The integral of the vehicle speed.
        case speed
    }

    /// The source of the traction battery's power.
    package enum EnergySource: String, CaseIterable, Hashable, Sendable {
        case power
        case voltageAndCurrent = "voltage_and_current"
    }

    package var duration: Duration { self.end.time - self.start.time }
}
