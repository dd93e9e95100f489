// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Parameter {
    /// PIDs A0 to BF.
    // One row of the table on each line.
    // swift-format-ignore
    static let rowsA0: [Parameter] = [
        Parameter(0xA0, "supported_pids_a0", "PIDs supported A1-C0", "PIDS_A0", 4, .bitField, [
            Field("supported", "supported_pids_a0_supported", 0, bits: 32, form: .pids(after: 0xA0)),
        ]),
        Parameter(0xA1, "nox_sensor_corrected", "NOx sensor corrected concentration", "NOX_CORR", 9, .composite, [
            Field("B1S1", "nox_sensor_corrected_b1s1", 1, bits: 16, .partsPerMillion, support: 0, rival: 4),
            Field("B1S2", "nox_sensor_corrected_b1s2", 3, bits: 16, .partsPerMillion, support: 1, rival: 5),
            Field("B2S1", "nox_sensor_corrected_b2s1", 5, bits: 16, .partsPerMillion, support: 2, rival: 6),
            Field("B2S2", "nox_sensor_corrected_b2s2", 7, bits: 16, .partsPerMillion, support: 3, rival: 7),
        ]),
        Parameter(0xA2, "cylinder_fuel_rate", "Cylinder fuel rate", "CYL_FUEL", 2, .numeric, [
            Field("value", "cylinder_fuel_rate", 0, bits: 16, over: 32, .milligramPerStroke),
        ], sentinel: true),
        Parameter(0xA3, "evap_vapor_pressure_multi", "Evaporative system vapour pressure (multi)",
            "EVAP_MULTI", 9, .composite, [
            Field("a", "evap_vapor_pressure_multi_a", 1, bits: 16, signed: true, over: 4, .pascal, support: 0),
            Field("a_wide", "evap_vapor_pressure_multi_a_wide", 3, bits: 16, signed: true, times: 2, .pascal,
                support: 1),
        ]),
        Parameter(0xA4, "gear", "Transmission actual gear", "GEAR", 4, .composite, [
            Field("gear", "gear_gear", 1, bits: 4, support: 0),
            Field("ratio", "gear_ratio", 2, bits: 16, over: 1000, .ratio, support: 1),
        ]),
        Parameter(0xA5, "def_dosing", "Commanded diesel exhaust fluid dosing", "DEF_DOSING", 4, .composite, [
            Field("dosing", "def_dosing_dosing", 1, over: 2, .percent, support: 0),
        ]),
        Parameter(0xA6, "odometer", "Odometer", "ODOMETER", 4, .numeric, [
            Field("value", "odometer", 0, bits: 32, over: 10, .kilometer),
        ], vss: ["Vehicle.TraveledDistance"], sentinel: true),
        Parameter(0xA7, "nox_sensor_3_4", "NOx sensor concentration sensors 3 and 4", "NOX_A7", nil, .composite, []),
        Parameter(0xA8, "nox_sensor_corrected_3_4", "NOx corrected concentration sensors 3 and 4",
            "NOX_A8", nil, .composite, []),
        Parameter(0xA9, "abs_disable_switch", "ABS disable switch state", "ABS_DISABLE", 4, .bitField, [
            Field("state", "abs_disable_switch", 1, msb: 0, bits: 1, support: 0),
        ]),
        Parameter(0xAA, "speed_limiter", "Vehicle speed limiter set speed", "SPEED_LIMIT", 1, .numeric, [
            Field("value", "speed_limiter", 0, .kilometerPerHour),
        ]),
        Parameter(0xAB, "pid_ab", "no public description found", "PID_AB", nil, .unknown, []),
        Parameter(0xAC, "pid_ac", "no public description found", "PID_AC", nil, .unknown, []),
        Parameter(0xAD, "pid_ad", "no public description found", "PID_AD", nil, .unknown, []),
        Parameter(0xAE, "pid_ae", "no public description found", "PID_AE", nil, .unknown, []),
        Parameter(0xAF, "pid_af", "no public description found", "PID_AF", nil, .unknown, []),
        Parameter(0xB0, "pid_b0", "no public description found", "PID_B0", nil, .unknown, []),
        Parameter(0xB1, "pid_b1", "no public description found", "PID_B1", nil, .unknown, []),
        Parameter(0xB2, "traction_battery_health", "Traction battery state of health", "HV_SOH", 1, .numeric, [
            Field("value", "traction_battery_health", 0, times: 100, over: 255, .percent),
        ]),
        Parameter(0xB3, "pid_b3", "no public description found", "PID_B3", nil, .unknown, []),
        Parameter(0xB4, "hvess_temperature", "HVESS temperature", "PID_B4", nil, .unknown, []),
        Parameter(0xB5, "hvess_current", "HVESS current", "PID_B5", nil, .unknown, []),
        Parameter(0xB6, "hvess_voltage", "HVESS voltage", "PID_B6", nil, .unknown, []),
        Parameter(0xB7, "hvess_cell_temperatures", "HVESS cell temperatures", "PID_B7", nil, .unknown, []),
        Parameter(0xB8, "hvess_cell_balancing_time", "HVESS cell balancing time", "PID_B8", nil, .unknown, []),
        Parameter(0xB9, "hvess_cell_voltages", "HVESS cell voltages", "PID_B9", nil, .unknown, []),
        Parameter(0xBA, "hvess_power_and_current_limits", "HVESS power and current limits",
            "PID_BA", nil, .unknown, []),
        Parameter(0xBB, "hvess_cumulative_energy_in", "HVESS cumulative energy in", "PID_BB", nil, .unknown, []),
        Parameter(0xBC, "hvess_cumulative_energy_out", "HVESS cumulative energy out", "PID_BC", nil, .unknown, []),
        Parameter(0xBD, "hvess_energy_throughput", "HVESS energy throughput", "PID_BD", nil, .unknown, []),
        Parameter(0xBE, "pid_be", "no public description found", "PID_BE", nil, .unknown, []),
        Parameter(0xBF, "pid_bf", "no public description found", "PID_BF", nil, .unknown, []),
    ]
}
