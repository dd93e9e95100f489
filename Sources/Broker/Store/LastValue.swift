// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The newest value of a vehicle's parameter.
package struct LastValue: Hashable, Sendable {
    /// The largest number of values that wait to be written.
    static let limit = 4096

    /// The vehicle's topic level.
    package var vehicle: String
    /// The parameter's name; `<name>/<ecu>` for an ECU other than the primary one.
    package var series: String
    package var ecu: String
    /// The value in metric units.
    package var value: JSON
    /// The meaning of a coded value, if it is known.
    package var label: String?
    package var unit: String?
    /// The time of the reading, in its boot.
    package var at: MonotonicTime

    package init(
        vehicle: String,
        series: String,
        ecu: String,
        value: JSON,
        label: String?,
        unit: String?,
        at: MonotonicTime
    ) {
        self.vehicle = vehicle
        self.series = series
        self.ecu = ecu
        self.value = value
        self.label = label
        self.unit = unit
        self.at = at
    }

    /// The vehicle and the parameter.
    struct Key: Hashable, Sendable {
        var vehicle: String
        var series: String
    }

    var key: Key { Key(vehicle: self.vehicle, series: self.series) }
}
