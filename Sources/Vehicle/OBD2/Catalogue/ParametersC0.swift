// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Parameter {
    /// PIDs C0 to DF.
    // One row of the table on each line.
    // swift-format-ignore
    static let rowsC0: [Parameter] = [
        Parameter(0xC0, "supported_pids_c0", "PIDs supported C1-E0", "PIDS_C0", 4, .bitField, [
            Field("supported", "supported_pids_c0_supported", 0, bits: 32, form: .pids(after: 0xC0)),
        ]),
        Parameter(0xC1, "hvess_maximum_charge", "HVESS recommended maximum state of charge",
            "HVESS_SOC_MAX", 1, .numeric, []),
        Parameter(0xC2, "pid_c2", "no public description found", "PID_C2", nil, .unknown, []),
        Parameter(0xC3, "fuel_level_input", "Fuel level input A/B", "FUEL_LEVEL_AB", 2, .composite, []),
        Parameter(0xC4, "particulate_control_diagnostic", "Exhaust particulate control diagnostic time/count",
            "EPC_DIAG", 8, .composite, [
            Field("idle_request", "particulate_control_diagnostic_idle_request", 1, msb: 5, bits: 1),
            Field("stop_request", "particulate_control_diagnostic_stop_request", 1, msb: 6, bits: 1),
        ]),
        Parameter(0xC5, "fuel_pressure_a_b", "Fuel pressure A and B", "FUEL_PRESSURE_AB", 4, .composite, []),
        Parameter(0xC6, "particulate_control_inducement", "Particulate control inducement status and counters",
            "PM_IND", 7, .composite, [
            Field("status", "particulate_control_inducement_status", 0),
            Field("removal_h", "particulate_control_inducement_removal_h", 1, bits: 16, .hour),
            Field("reagent_failure_h", "particulate_control_inducement_reagent_failure_h", 3, bits: 16, .hour),
            Field("monitoring_failure_h", "particulate_control_inducement_monitoring_failure_h", 5, bits: 16, .hour),
        ]),
        Parameter(0xC7, "distance_since_reflash", "Distance since reflash or module replacement",
            "DIST_REFLASH", 2, .numeric, [
            Field("value", "distance_since_reflash", 0, bits: 16, .kilometer),
        ]),
        Parameter(0xC8, "ncd_pcd_lamp", "NCD / PCD warning lamp status", "NCD_PCD_LAMP", 1, .bitField, [
            Field("value", "ncd_pcd_lamp", 0),
        ]),
        Parameter(0xD2, "certified_energy", "State of certified energy / range", "SOCE_SOCR", 3, .composite, [
            Field("soce", "certified_energy_soce", 1, times: 100, over: 255, .percent, support: 0),
            Field("socr", "certified_energy_socr", 2, times: 100, over: 255, .percent, support: 1),
        ]),
        Parameter(0xD3, "engine_odometer", "Engine odometer", "ODO_ENGINE", 4, .numeric, [
            Field("value", "engine_odometer", 0, bits: 32, over: 10, .kilometer),
        ], sentinel: true),
    ]
}
