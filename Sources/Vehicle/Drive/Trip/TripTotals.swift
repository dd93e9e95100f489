// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The sums over all trips of a vehicle.
///
/// A drive that is too short for a trip counts too: its fuel was used.
package struct TripTotals: Hashable, Sendable {
    /// The number of trips.
    package var trips: Int
    /// km.
    package var distance: Double
    /// L.
    package var fuel: Double
    /// kWh, out of the traction battery and back into it.
    package var energy: Double
    package var regenerated: Double

    package init(
        trips: Int = 0,
        distance: Double = 0,
        fuel: Double = 0,
        energy: Double = 0,
        regenerated: Double = 0
    ) {
        self.trips = trips
        self.distance = distance
        self.fuel = fuel
        self.energy = energy
        self.regenerated = regenerated
    }

    /// Returns the totals with each sum that is greater in `other` taken from it.
    func raised(to other: TripTotals) -> TripTotals {
        TripTotals(
            trips: max(self.trips, other.trips),
            distance: max(self.distance, other.distance),
            fuel: max(self.fuel, other.fuel),
            energy: max(self.energy, other.energy),
            regenerated: max(self.regenerated, other.regenerated)
        )
    }

    /// Returns the totals with those of a trip.
    func adding(_ trip: Trip, isTrip: Bool) -> TripTotals {
        TripTotals(
            trips: self.trips + (isTrip ? 1 : 0),
            distance: self.distance + (trip.distance ?? 0),
            fuel: self.fuel + (trip.fuel ?? 0),
            energy: self.energy + (trip.energy ?? 0),
            regenerated: self.regenerated + (trip.regenerated ?? 0)
        )
    }
}
