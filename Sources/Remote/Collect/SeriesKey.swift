// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The name of a series of samples.
package struct SeriesKey: Hashable, Sendable {
    /// The topic level of the vehicle.
    package var vehicle: String
    /// The name of the parameter, or `<name>/<ecu>` for an ECU other than the primary one.
    package var parameter: String
    package var ecu: String
    /// The symbol of the metric unit; nil if the parameter has none, or if it is unknown.
    package var unit: String?

    package init(vehicle: String, parameter: String, ecu: String, unit: String? = nil) {
        self.vehicle = vehicle
        self.parameter = parameter
        self.ecu = ecu
        self.unit = unit
    }
}
