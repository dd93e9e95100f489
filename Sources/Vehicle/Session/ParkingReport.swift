// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Whether the vehicle is in use, and how its 12 V battery is.
package struct ParkingReport: Hashable, Sendable {
    package var ignition: IgnitionState
    /// Whether its bus is left alone.
    package var isParked: Bool
    /// Whether it is parked because the adapter was lost, and not because anybody saw it stop.
    package var hasLostAdapter: Bool
    /// The supply as the adapter reads it, in volts.
    package var voltage: Double?
    /// The lowest voltage while the starter turned.
    package var lowestCranking: Double?
    /// The voltage at which the parked vehicle rests, and its change in volts a day.
    package var resting: Double?
    package var trend: Double?
    package var isBatteryLow: Bool

    package init(
        ignition: IgnitionState,
        isParked: Bool,
        hasLostAdapter: Bool = false,
        voltage: Double? = nil,
        lowestCranking: Double? = nil,
        resting: Double? = nil,
        trend: Double? = nil,
        isBatteryLow: Bool = false
    ) {
        self.ignition = ignition
        self.isParked = isParked
        self.hasLostAdapter = hasLostAdapter
        self.voltage = voltage
        self.lowestCranking = lowestCranking
        self.resting = resting
        self.trend = trend
        self.isBatteryLow = isBatteryLow
    }
}
