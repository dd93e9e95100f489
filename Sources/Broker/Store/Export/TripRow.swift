// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The exported rows of trips.
package enum TripRow {
    /// The members of a trip that are a column each.
    private static let members = [
        "duration", "moving", "idling", "stopped", "unobserved", "distance", "distance_source", "distance_error",
        "distance_observed", "mean_speed", "maximum_speed", "fuel", "fuel_source", "fuel_observed", "fuel_consumption",
        "energy", "regenerated", "energy_source", "energy_observed", "energy_consumption", "coolant_temperature",
        "harsh_braking", "harsh_acceleration", "over_speed",
    ]
    private static let pointMembers = ["odometer", "latitude", "longitude", "state_of_charge", "fuel_level"]

    package static let columns =
        ["vehicle", "start", "end", "clock", "ongoing"] + Self.members
        + ["start", "end"].flatMap { point in Self.pointMembers.map { "\(point)_\($0)" } }
        + ["codes_appeared", "codes_gone"]

    /// Returns the cells of a trip.
    ///
    /// - Parameters:
    ///   - trip: the member `trip` of an event or of the payload of `trip`.
    ///   - end: the time of the event.
    package static func cells(
        _ trip: JSON,
        of vehicle: String,
        end: Timestamp,
        clock: ClockQuality,
        isOngoing: Bool
    ) -> [JSON] {
        let start = Self.start(of: trip, end: end)
        var cells: [JSON] = [
            .string(vehicle), .string(start.description), .string(end.description), .string(clock.rawValue),
            .bool(isOngoing),
        ]
        cells += Self.members.map { trip[$0] }
        for point in ["start", "end"] { cells += Self.pointMembers.map { trip[point][$0] } }
        for codes in ["codes_appeared", "codes_gone"] {
            let names = trip[codes].elements.compactMap(\.string)
            cells.append(names.isEmpty ? .null : .string(names.joined(separator: " ")))
        }
        return cells
    }

    /// Returns the start of a trip that has ended at a time.
    package static func start(of trip: JSON, end: Timestamp) -> Timestamp {
        end + .milliseconds(-Int64((max(0, min(trip["duration"].double ?? 0, 1e9)) * 1000).rounded()))
    }
}
