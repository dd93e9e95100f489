// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The state of a vehicle's trips: their totals, the last trip, and the present one.
package struct TripEntry: Hashable, Sendable {
    /// The vehicle's topic level.
    package var vehicle: String
    /// A JSON object.
    package var body: [UInt8]

    package init(vehicle: String, body: [UInt8]) {
        self.vehicle = vehicle
        self.body = body
    }
}

extension Store {
    /// Returns the stored state of a vehicle's trips.
    package func trips(of vehicle: String) -> [UInt8]? {
        self.unwritten.trips[vehicle] ?? ((try? self.file?.vehicles.trips(of: vehicle)) ?? nil)
    }

    /// Keeps the state of a vehicle's trips in place of an earlier one.
    ///
    /// The next flush writes it to the disk.
    package func remember(_ trips: TripEntry) { self.unwritten.set(trips) }
}
