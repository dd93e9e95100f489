// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The newest value of a parameter of a vehicle.
package struct LastValue: Hashable, Sendable {
    /// How many wait at most to be written.
    static let limit = 4096

    /// The vehicle's topic level.
    package var vehicle: String
    /// The parameter; `<name>/<ecu>` for an ECU that is not the primary one.
    package var series: String
    package var ecu: String
    /// The value, metric.
    package var value: JSON
    /// The meaning of a coded value, where it is known.
    package var label: String?
    package var unit: String?
    /// When it was read, in this boot.
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

    /// What it is the newest value of.
    struct Key: Hashable, Sendable {
        var vehicle: String
        var series: String
    }

    var key: Key { Key(vehicle: self.vehicle, series: self.series) }
}
