// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The sums over the readings of a trip.
///
/// They are kept together, because all of them count up to the same reading.
struct TripFigures: Hashable, Sendable {
    var motion = TripMotion()
    var distance = TripDistance()
    var fuel = TripFuel()
    var energy = TripEnergy()
    var engineSpeeds = TimeBands.engineSpeed
    var engineLoads = TimeBands.engineLoad
    /// The seconds between two readings that are too far apart.
    var missed = 0.0
}
