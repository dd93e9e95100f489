// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The owner's settings for a parked vehicle.
package struct ParkingPolicy: Hashable, Sendable {
    /// The time without a sign of a drive or of a charge after which a vehicle counts as parked.
    package var idleLimit: Duration
    /// The interval between two voltage readings of a parked vehicle.
    package var voltageInterval: Duration
    /// The interval between two readings of a vehicle that is charged.
    package var chargingInterval: Duration
    /// The probes that are allowed in an hour, and in a night.
    package var probesPerHour: Int
    package var probesPerNight: Int
    /// The voltage below which the bus is not used; 0: no limit.
    package var minimumVoltage: Double
    /// The correction of the adapter's readings, in volts.
    package var voltageOffset: Double
    /// Whether the adapter sleeps between two voltage readings.
    package var sleepsAdapter: Bool

    package init(
        idleLimit: Duration = .seconds(300),
        voltageInterval: Duration = .seconds(45),
        chargingInterval: Duration = .seconds(60),
        probesPerHour: Int = 2,
        probesPerNight: Int = 4,
        minimumVoltage: Double = 12,
        voltageOffset: Double = 0,
        sleepsAdapter: Bool = true
    ) {
        self.idleLimit = idleLimit
        self.voltageInterval = voltageInterval
        self.chargingInterval = chargingInterval
        self.probesPerHour = probesPerHour
        self.probesPerNight = probesPerNight
        self.minimumVoltage = minimumVoltage
        self.voltageOffset = voltageOffset
        self.sleepsAdapter = sleepsAdapter
    }

    /// The interval between two requests for a sign of use, and between two voltage readings in a drive.
    ///
    /// Each of them keeps the vehicle in use for ``idleLimit``, so three must fit into that.
    var watchInterval: Duration { min(.seconds(30), self.idleLimit / 3) }
}
