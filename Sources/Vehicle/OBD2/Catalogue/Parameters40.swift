// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Parameter {
    /// PIDs 40 to 5F.
    // One row of the table on each line.
    // swift-format-ignore
    static let rows40: [Parameter] = [
        Parameter(0x40, "supported_pids_40", "PIDs supported 41-60", "PIDS_40", 4, .bitField, [
            Field("supported", "supported_pids_40_supported", 0, bits: 32, form: .pids(after: 0x40)),
        ], vss: ["Vehicle.OBD.PidsC"]),
        Parameter(0x41, "monitor_status_drive_cycle", "Monitor status this drive cycle", "STATUS_DRIVE", 4, .bitField, [
            Field("compression", "monitor_status_drive_cycle_compression", 1, msb: 3, bits: 1),
            Field("ignition", "monitor_status_drive_cycle_ignition", 0, bits: 32, form: .ignition),
            Field("supported", "monitor_status_drive_cycle_supported", 0, bits: 32, form: .supportedMonitors),
            Field("incomplete", "monitor_status_drive_cycle_incomplete", 0, bits: 32, form: .incompleteMonitors),
        ], vss: [
            "Vehicle.OBD.DriveCycleStatus.IgnitionType",
        ]),
        Parameter(0x42, "control_module_voltage", "Control module voltage", "MODULE_VOLTAGE", 2, .numeric, [
            Field("value", "control_module_voltage", 0, bits: 16, over: 1000, .volt),
        ], vss: ["Vehicle.OBD.ControlModuleVoltage"], sentinel: true),
        Parameter(0x43, "absolute_load", "Absolute load value", "ABS_LOAD", 2, .numeric, [
            Field("value", "absolute_load", 0, bits: 16, times: 100, over: 255, .percent),
        ], vss: ["Vehicle.OBD.AbsoluteLoad"], sentinel: true),
        Parameter(0x44, "commanded_equivalence_ratio", "Commanded air-fuel equivalence ratio",
            "LAMBDA_CMD", 2, .numeric, [
            Field("value", "commanded_equivalence_ratio", 0, bits: 16, times: 2, over: 65536, .ratio,
                scaled: .equivalenceRatio),
        ], vss: ["Vehicle.OBD.CommandedEquivalenceRatio"]),
        Parameter(0x45, "relative_throttle_position", "Relative throttle position", "THROTTLE_REL", 1, .numeric, [
            Field("value", "relative_throttle_position", 0, times: 100, over: 255, .percent),
        ], vss: ["Vehicle.OBD.RelativeThrottlePosition"]),
        Parameter(0x46, "ambient_air_temperature", "Ambient air temperature", "AMBIENT_TEMP", 1, .numeric, [
            Field("value", "ambient_air_temperature", 0, plus: -40, .celsius),
        ], vss: ["Vehicle.OBD.AmbientAirTemperature"], sentinel: true),
        Parameter(0x47, "throttle_position_b", "Absolute throttle position B", "THROTTLE_B", 1, .numeric, [
            Field("value", "throttle_position_b", 0, times: 100, over: 255, .percent),
        ], vss: ["Vehicle.OBD.ThrottlePositionB"]),
        Parameter(0x48, "throttle_position_c", "Absolute throttle position C", "THROTTLE_C", 1, .numeric, [
            Field("value", "throttle_position_c", 0, times: 100, over: 255, .percent),
        ], vss: ["Vehicle.OBD.ThrottlePositionC"]),
        Parameter(0x49, "accelerator_pedal_position_d", "Accelerator pedal position D", "PEDAL_D", 1, .numeric, [
            Field("value", "accelerator_pedal_position_d", 0, times: 100, over: 255, .percent),
        ], vss: ["Vehicle.OBD.AcceleratorPositionD"]),
        Parameter(0x4A, "accelerator_pedal_position_e", "Accelerator pedal position E", "PEDAL_E", 1, .numeric, [
            Field("value", "accelerator_pedal_position_e", 0, times: 100, over: 255, .percent),
        ], vss: ["Vehicle.OBD.AcceleratorPositionE"]),
        Parameter(0x4B, "accelerator_pedal_position_f", "Accelerator pedal position F", "PEDAL_F", 1, .numeric, [
            Field("value", "accelerator_pedal_position_f", 0, times: 100, over: 255, .percent),
        ], vss: ["Vehicle.OBD.AcceleratorPositionF"]),
        Parameter(0x4C, "commanded_throttle_actuator", "Commanded throttle actuator", "THROTTLE_CMD", 1, .numeric, [
            Field("value", "commanded_throttle_actuator", 0, times: 100, over: 255, .percent),
        ], vss: ["Vehicle.OBD.ThrottleActuator"]),
        Parameter(0x4D, "run_time_with_mil", "Engine run time with MIL on", "TIME_MIL", 2, .numeric, [
            Field("value", "run_time_with_mil", 0, bits: 16, .minute),
        ], vss: ["Vehicle.OBD.RunTimeMIL"]),
        Parameter(0x4E, "time_since_clear", "Engine run time since codes cleared", "TIME_SINCE_CLEAR", 2, .numeric, [
            Field("value", "time_since_clear", 0, bits: 16, .minute),
        ], vss: ["Vehicle.OBD.TimeSinceDTCCleared"]),
        Parameter(0x4F, "maximum_values", "Maximum values: lambda / O2 voltage / O2 current / MAP",
            "MAX_VALUES", 4, .composite, [
            Field("max_lambda", "maximum_values_max_lambda", 0, .ratio),
            Field("max_o2_voltage", "maximum_values_max_o2_voltage", 1, .volt),
            Field("max_o2_current", "maximum_values_max_o2_current", 2, .milliampere),
            Field("max_map", "maximum_values_max_map", 3, times: 10, .kilopascal),
        ]),
        Parameter(0x50, "maximum_mass_air_flow", "Maximum MAF value", "MAX_MAF", 4, .numeric, [
            Field("value", "maximum_mass_air_flow", 0, times: 10, .gramPerSecond),
        ], vss: ["Vehicle.OBD.MaxMAF"]),
        Parameter(0x51, "fuel_type", "Fuel type", "FUEL_TYPE", 1, .enumeration, [
            Field("value", "fuel_type", 0, labels: Labels.fuelType),
        ], vss: ["Vehicle.OBD.FuelType"]),
        Parameter(0x52, "ethanol_percentage", "Alcohol (ethanol) fuel percentage", "ETHANOL", 1, .numeric, [
            Field("value", "ethanol_percentage", 0, times: 100, over: 255, .percent),
        ], vss: ["Vehicle.OBD.EthanolPercent"]),
        Parameter(0x53, "absolute_evap_vapor_pressure", "Absolute evaporative system vapour pressure",
            "EVAP_VP_ABS", 2, .numeric, [
            Field("value", "absolute_evap_vapor_pressure", 0, bits: 16, over: 200, .kilopascal),
        ], vss: ["Vehicle.OBD.EVAPVaporPressureAbsolute"], sentinel: true),
        Parameter(0x54, "evap_vapor_pressure_wide", "Evaporative system vapour pressure (wide)",
            "EVAP_VP_ALT", 2, .numeric, [
            Field("value", "evap_vapor_pressure_wide", 0, bits: 16, signed: true, .pascal),
        ], vss: ["Vehicle.OBD.EVAPVaporPressureAlternate"]),
        Parameter(0x55, "short_term_secondary_o2_trim_1_3", "Short term secondary O2 trim banks 1/3",
            "STO2T_13", 2, optional: 1, .composite, [
            Field("bank1", "short_term_secondary_o2_trim_1_3_bank1", 0, times: 100, over: 128, plus: -100, .percent),
            Field("bank3", "short_term_secondary_o2_trim_1_3_bank3", 1, times: 100, over: 128, plus: -100, .percent),
        ], vss: ["Vehicle.OBD.ShortTermO2Trim1", "Vehicle.OBD.ShortTermO2Trim3"]),
        Parameter(0x56, "long_term_secondary_o2_trim_1_3", "Long term secondary O2 trim banks 1/3",
            "LTO2T_13", 2, optional: 1, .composite, [
            Field("bank1", "long_term_secondary_o2_trim_1_3_bank1", 0, times: 100, over: 128, plus: -100, .percent),
            Field("bank3", "long_term_secondary_o2_trim_1_3_bank3", 1, times: 100, over: 128, plus: -100, .percent),
        ], vss: ["Vehicle.OBD.LongTermO2Trim1", "Vehicle.OBD.LongTermO2Trim3"]),
        Parameter(0x57, "short_term_secondary_o2_trim_2_4", "Short term secondary O2 trim banks 2/4",
            "STO2T_24", 2, optional: 1, .composite, [
            Field("bank2", "short_term_secondary_o2_trim_2_4_bank2", 0, times: 100, over: 128, plus: -100, .percent),
            Field("bank4", "short_term_secondary_o2_trim_2_4_bank4", 1, times: 100, over: 128, plus: -100, .percent),
        ], vss: ["Vehicle.OBD.ShortTermO2Trim2", "Vehicle.OBD.ShortTermO2Trim4"]),
        Parameter(0x58, "long_term_secondary_o2_trim_2_4", "Long term secondary O2 trim banks 2/4",
            "LTO2T_24", 2, optional: 1, .composite, [
            Field("bank2", "long_term_secondary_o2_trim_2_4_bank2", 0, times: 100, over: 128, plus: -100, .percent),
            Field("bank4", "long_term_secondary_o2_trim_2_4_bank4", 1, times: 100, over: 128, plus: -100, .percent),
        ], vss: ["Vehicle.OBD.LongTermO2Trim2", "Vehicle.OBD.LongTermO2Trim4"]),
        Parameter(0x59, "absolute_fuel_rail_pressure", "Fuel rail absolute pressure", "FRP_ABS", 2, .numeric, [
            Field("value", "absolute_fuel_rail_pressure", 0, bits: 16, times: 10, .kilopascal),
        ], vss: ["Vehicle.OBD.FuelRailPressureAbsolute"], sentinel: true),
        Parameter(0x5A, "relative_accelerator_pedal_position", "Relative accelerator pedal position",
            "PEDAL_REL", 1, .numeric, [
            Field("value", "relative_accelerator_pedal_position", 0, times: 100, over: 255, .percent),
        ], vss: ["Vehicle.OBD.RelativeAcceleratorPosition"]),
        Parameter(0x5B, "hybrid_battery_charge", "Hybrid/EV battery pack remaining charge", "HV_SOC", 1, .numeric, [
            Field("value", "hybrid_battery_charge", 0, times: 100, over: 255, .percent),
        ], vss: ["Vehicle.OBD.HybridBatteryRemaining"]),
        Parameter(0x5C, "oil_temperature", "Engine oil temperature", "OIL_TEMP", 1, .numeric, [
            Field("value", "oil_temperature", 0, plus: -40, .celsius),
        ], vss: ["Vehicle.OBD.OilTemperature"], sentinel: true),
        Parameter(0x5D, "fuel_injection_timing", "Fuel injection timing", "INJECT_TIMING", 2, .numeric, [
            Field("value", "fuel_injection_timing", 0, bits: 16, over: 128, plus: -210, .degree),
        ], vss: ["Vehicle.OBD.FuelInjectionTiming"]),
        Parameter(0x5E, "fuel_rate", "Engine fuel rate", "FUEL_RATE", 2, .numeric, [
            Field("value", "fuel_rate", 0, bits: 16, over: 20, .literPerHour),
        ], vss: ["Vehicle.OBD.FuelRate"], sentinel: true),
        Parameter(0x5F, "emission_requirements", "Emission requirements to which vehicle is designed",
            "EMISSION_REQ", 1, .enumeration, [
            Field("value", "emission_requirements", 0, labels: Labels.emissionRequirements),
        ]),
    ]
}
