// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension TripRecorder {
    /// The poll intervals of the values that a trip is made of, by name or by role.
    ///
    /// The maneuvers need the speed each second, and the odometer is the more precise the nearer to its steps it is
    /// read. A vehicle has only some of the values.
    package static let intervals: [String: Duration] = [
        "vehicle_speed": .seconds(1),
        "engine_speed": .seconds(1),
        "fuel_flow": .seconds(1),
        "odometer": .seconds(2),
        "traction_battery_power": .seconds(2),
        "traction_battery_voltage": .seconds(2),
        "traction_battery_current": .seconds(2),
        "engine_load": .seconds(5),
        "run_time": .seconds(30),
        "coolant_temperature": .seconds(60),
        "fuel_level": .seconds(60),
        "state_of_charge": .seconds(60),
    ]
}
