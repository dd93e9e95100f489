// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The start or the end of a trip, with the state of the vehicle then as far as it is known.
package struct TripPoint: Hashable, Sendable {
    package var time: MonotonicTime
    /// In km.
    package var odometer: Double?
    package var place: Coordinate?
    /// The charge of the traction battery, in %.
    package var stateOfCharge: Double?
    /// The contents of the tank, in %.
    package var fuelLevel: Double?

    package init(
        time: MonotonicTime,
        odometer: Double? = nil,
        place: Coordinate? = nil,
        stateOfCharge: Double? = nil,
        fuelLevel: Double? = nil
    ) {
        self.time = time
        self.odometer = odometer
        self.place = place
        self.stateOfCharge = stateOfCharge
        self.fuelLevel = fuelLevel
    }
}
