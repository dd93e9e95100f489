// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// What may be done with a parked vehicle, as its owner has decided.
package struct ParkingPolicy: Hashable, Sendable {
    /// After so long without a running engine or a turning wheel a vehicle counts as parked.
    package var after: Duration
    /// How often the voltage of a parked vehicle is looked at.
    package var look: Duration
    /// How often the bus of a parked vehicle may be asked, in an hour and in a night.
    package var probesPerHour: Int
    package var probesPerNight: Int
    /// Below so many volts nothing is asked; 0: no limit.
    package var minimumVoltage: Double
    /// What is added to the adapter's readings, in volts.
    package var voltageOffset: Double
    /// Whether the adapter is put to sleep between two looks.
    package var sleepsAdapter: Bool

    package init(
        after: Duration = .seconds(300),
        look: Duration = .seconds(45),
        probesPerHour: Int = 2,
        probesPerNight: Int = 4,
        minimumVoltage: Double = 12,
        voltageOffset: Double = 0,
        sleepsAdapter: Bool = true
    ) {
        self.after = after
        self.look = look
        self.probesPerHour = probesPerHour
        self.probesPerNight = probesPerNight
        self.minimumVoltage = minimumVoltage
        self.voltageOffset = voltageOffset
        self.sleepsAdapter = sleepsAdapter
    }
}
