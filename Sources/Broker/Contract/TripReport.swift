// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A trip of a vehicle, in the event `trip` and in the payload of `trip`.
///
/// Figures that are not known are left out.
package struct TripReport: Encodable, Hashable, Sendable {
    package var start: Point
    package var end: Point
    /// The seconds from start to end; with a speed; at standstill with a running engine; at standstill without.
    package var duration: Double
    package var moving: Double
    package var idling: Double
    package var stopped: Double
    /// The seconds in which the agent read nothing.
    package var unobserved: Double
    /// The distance in km.
    package var distance: Double?
    /// `odometer`, or `speed` for the integral of the vehicle speed.
    package var distanceSource: String?
    /// The largest error of the distance in km; left out if it is not known.
    package var distanceError: Double?
    /// The seconds in which that distance was driven.
    package var distanceObserved: Double?
    /// The speeds in km/h.
    package var meanSpeed: Double?
    package var maximumSpeed: Double?
    /// The used fuel in L, the value from which it was integrated, and the seconds in which that was known.
    package var fuel: Double?
    package var fuelSource: String?
    package var fuelObserved: Double?
    /// The consumption in L/100 km.
    package var fuelConsumption: Double?
    /// The energies in kWh out of the traction battery and back into it, their source, and its known seconds.
    package var energy: Double?
    package var regenerated: Double?
    package var energySource: String?
    package var energyObserved: Double?
    /// The consumption in kWh/100 km, less the returned energy.
    package var energyConsumption: Double?
    package var engineSpeed: Bands?
    package var engineLoad: Bands?
    /// The temperature of the coolant at the start, in °C.
    package var coolantTemperature: Double?
    /// The numbers of harsh maneuvers; left out if the speed was read too rarely.
    package var harshBraking: Int?
    package var harshAcceleration: Int?
    package var overSpeed: Int?
    /// The codes that have appeared and gone in the trip.
    package var codesAppeared: [String]?
    package var codesGone: [String]?

    private enum CodingKeys: String, CodingKey {
        case start, end, duration, moving, idling, stopped, unobserved, distance, fuel, energy, regenerated
        case distanceSource = "distance_source"
        case distanceError = "distance_error"
        case distanceObserved = "distance_observed"
        case meanSpeed = "mean_speed"
        case maximumSpeed = "maximum_speed"
        case fuelSource = "fuel_source"
        case fuelObserved = "fuel_observed"
        case fuelConsumption = "fuel_consumption"
        case energySource = "energy_source"
        case energyObserved = "energy_observed"
        case energyConsumption = "energy_consumption"
        case engineSpeed = "engine_speed"
        case engineLoad = "engine_load"
        case coolantTemperature = "coolant_temperature"
        case harshBraking = "harsh_braking"
        case harshAcceleration = "harsh_acceleration"
        case overSpeed = "over_speed"
        case codesAppeared = "codes_appeared"
        case codesGone = "codes_gone"
    }

    /// The start or the end of a trip.
    package struct Point: Encodable, Hashable, Sendable {
        /// Left out in events: the event's time is the end, and the start is ``TripReport/duration`` before.
        package var time: Timestamp?
        /// The odometer in km.
        package var odometer: Double?
        /// The place in degrees.
        package var latitude: Double?
        package var longitude: Double?
        /// The levels in %.
        package var stateOfCharge: Double?
        package var fuelLevel: Double?

        private enum CodingKeys: String, CodingKey {
            case time, odometer, latitude, longitude
            case stateOfCharge = "state_of_charge"
            case fuelLevel = "fuel_level"
        }

        package init() {}
    }

    /// The seconds in each band of a quantity.
    package struct Bands: Encodable, Hashable, Sendable {
        /// The bounds between the bands, ascending.
        package var bounds: [Double]
        /// The seconds in the bands, one more than there are bounds.
        package var seconds: [Double]

        package init(bounds: [Double], seconds: [Double]) {
            self.bounds = bounds
            self.seconds = seconds
        }
    }

    package init(
        start: Point,
        end: Point,
        duration: Double,
        moving: Double,
        idling: Double,
        stopped: Double,
        unobserved: Double
    ) {
        self.start = start
        self.end = end
        self.duration = duration
        self.moving = moving
        self.idling = idling
        self.stopped = stopped
        self.unobserved = unobserved
    }
}

/// The payload of `trip`: the present trip, or the last one, and the totals of all.
package struct TripState: Encodable, Hashable, Sendable {
    package var v = 1
    package var time: Timestamp
    /// Whether the times are from a synchronized clock.
    package var clock: ClockQuality
    /// Whether the trip goes on.
    package var ongoing: Bool
    package var trip: TripReport
    package var totals: Totals

    /// The sums over all trips of the vehicle, with the present one as far as it is on the disk.
    package struct Totals: Encodable, Hashable, Sendable {
        /// The number of finished trips.
        package var trips: Int
        /// The distance in km.
        package var distance: Double
        /// The used fuel in L; left out if none was ever measured.
        package var fuel: Double?
        /// The energies in kWh out of the traction battery and back into it; left out if none was ever measured.
        package var energy: Double?
        package var regenerated: Double?

        package init(trips: Int, distance: Double, fuel: Double?, energy: Double?, regenerated: Double?) {
            self.trips = trips
            self.distance = distance
            self.fuel = fuel
            self.energy = energy
            self.regenerated = regenerated
        }
    }

    package init(time: Timestamp, clock: ClockQuality, ongoing: Bool, trip: TripReport, totals: Totals) {
        self.time = time
        self.clock = clock
        self.ongoing = ongoing
        self.trip = trip
        self.totals = totals
    }
}
