// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A value of the vehicle's 12 V supply, which the adapter measures without a request to an ECU.
package enum SupplyValue: String, CaseIterable, Sendable {
    /// The present voltage.
    case voltage = "supply_voltage"
    /// The lowest voltage while the starter turned.
    case cranking = "supply_voltage_cranking"
    /// The median voltage of the parked vehicle.
    case resting = "supply_voltage_resting"
    /// The change of the resting voltage, in V a day.
    case trend = "supply_voltage_trend"

    /// The value's name, unit and step; the ranges are 0 to 655 V, and -32 to 32 V a day.
    package var field: Field { Self.fields[self] ?? Self.voltageField }

    private static let voltageField = Field("value", Self.voltage.rawValue, 0, bits: 16, over: 100, .volt)
    private static let fields: [SupplyValue: Field] = [
        .voltage: Self.voltageField,
        .cranking: Field("value", Self.cranking.rawValue, 0, bits: 16, over: 100, .volt),
        .resting: Field("value", Self.resting.rawValue, 0, bits: 16, over: 100, .volt),
        .trend: Field("value", Self.trend.rawValue, 0, bits: 16, signed: true, over: 1000, .voltPerDay),
    ]
}
