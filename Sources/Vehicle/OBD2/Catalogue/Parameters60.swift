// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Parameter {
    /// PIDs 60 to 7F.
    // One row of the table on each line.
    // swift-format-ignore
    static let rows60: [Parameter] = [
        Parameter(0x60, "supported_pids_60", "PIDs supported 61-80", "PIDS_60", 4, .bitField, [
            Field("supported", "supported_pids_60_supported", 0, bits: 32, form: .pids(after: 0x60)),
        ]),
        Parameter(0x61, "demanded_torque", "Driver's demand engine torque", "TQ_DEMAND", 1, .numeric, [
            Field("value", "demanded_torque", 0, plus: -125, .percent),
        ]),
        Parameter(0x62, "actual_torque", "Actual engine torque", "TQ_ACTUAL", 1, .numeric, [
            Field("value", "actual_torque", 0, plus: -125, .percent),
        ]),
        Parameter(0x63, "reference_torque", "Engine reference torque", "TQ_REF", 2, .numeric, [
            Field("value", "reference_torque", 0, bits: 16, .newtonMeter),
        ], sentinel: true),
        Parameter(0x64, "percent_torque", "Engine percent torque data", "TQ_POINTS", 5, .composite, [
            Field("idle", "percent_torque_idle", 0, plus: -125, .percent),
            Field("point1", "percent_torque_point1", 1, plus: -125, .percent),
            Field("point2", "percent_torque_point2", 2, plus: -125, .percent),
            Field("point3", "percent_torque_point3", 3, plus: -125, .percent),
            Field("point4", "percent_torque_point4", 4, plus: -125, .percent),
        ]),
        Parameter(0x65, "auxiliary_inputs_outputs", "Auxiliary inputs/outputs", "AUX_IO", 2, .bitField, [
            Field("pto", "auxiliary_inputs_outputs_pto", 1, msb: 0, bits: 1, support: 0),
            Field("auto_in_gear", "auxiliary_inputs_outputs_auto_in_gear", 1, msb: 1, bits: 1, support: 1),
            Field("manual_in_gear", "auxiliary_inputs_outputs_manual_in_gear", 1, msb: 2, bits: 1, support: 2),
            Field("glow_lamp", "auxiliary_inputs_outputs_glow_lamp", 1, msb: 3, bits: 1, support: 3),
            Field("recommended_gear", "auxiliary_inputs_outputs_recommended_gear", 1, bits: 4, support: 4),
        ]),
        Parameter(0x66, "mass_air_flow_sensor", "Mass air flow sensors A/B", "MAF_AB", 5, .composite, [
            Field("a", "mass_air_flow_sensor_a", 1, bits: 16, over: 32, .gramPerSecond, support: 0),
            Field("b", "mass_air_flow_sensor_b", 3, bits: 16, over: 32, .gramPerSecond, support: 1),
        ]),
        Parameter(0x67, "coolant_temperature_sensor", "Engine coolant temperature sensors 1/2",
            "ECT_12", 3, .composite, [
            Field("s1", "coolant_temperature_sensor_s1", 1, plus: -40, .celsius, support: 0),
            Field("s2", "coolant_temperature_sensor_s2", 2, plus: -40, .celsius, support: 1),
        ]),
        Parameter(0x68, "intake_air_temperature_sensor", "Intake air temperature sensors", "IAT_N", 7, .composite, [
            Field("B1S1", "intake_air_temperature_sensor_b1s1", 1, plus: -40, .celsius, support: 0),
            Field("B1S2", "intake_air_temperature_sensor_b1s2", 2, plus: -40, .celsius, support: 1),
            Field("B1S3", "intake_air_temperature_sensor_b1s3", 3, plus: -40, .celsius, support: 2),
            Field("B2S1", "intake_air_temperature_sensor_b2s1", 4, plus: -40, .celsius, support: 3),
            Field("B2S2", "intake_air_temperature_sensor_b2s2", 5, plus: -40, .celsius, support: 4),
            Field("B2S3", "intake_air_temperature_sensor_b2s3", 6, plus: -40, .celsius, support: 5),
        ]),
        Parameter(0x69, "egr", "Commanded / actual EGR and EGR error A/B", "EGR_AB", 7, .composite, [
            Field("cmd_a", "egr_cmd_a", 1, times: 100, over: 255, .percent, support: 0),
            Field("act_a", "egr_act_a", 2, times: 100, over: 255, .percent, support: 1),
            Field("err_a", "egr_err_a", 3, times: 100, over: 128, plus: -100, .percent, support: 2),
            Field("cmd_b", "egr_cmd_b", 4, times: 100, over: 255, .percent, support: 3),
            Field("act_b", "egr_act_b", 5, times: 100, over: 255, .percent, support: 4),
            Field("err_b", "egr_err_b", 6, times: 100, over: 128, plus: -100, .percent, support: 5),
        ]),
        Parameter(0x6A, "intake_air_flow_control", "Diesel intake air flow control and relative position A/B",
            "IAF_AB", 5, .composite, [
            Field("cmd_a", "intake_air_flow_control_cmd_a", 1, times: 100, over: 255, .percent, support: 0),
            Field("pos_a", "intake_air_flow_control_pos_a", 2, times: 100, over: 255, .percent, support: 1),
            Field("cmd_b", "intake_air_flow_control_cmd_b", 3, times: 100, over: 255, .percent, support: 2),
            Field("pos_b", "intake_air_flow_control_pos_b", 4, times: 100, over: 255, .percent, support: 3),
        ]),
        Parameter(0x6B, "egr_temperature", "Exhaust gas recirculation temperatures", "EGRT", 5, .composite, [
            Field("a_b1s1", "egr_temperature_a_b1s1", 1, plus: -40, .celsius, support: 0, rival: 4),
            Field("a_b1s1_wide", "egr_temperature_a_b1s1_wide", 1, times: 4, plus: -40, .celsius, support: 4, rival: 0),
            Field("c_b1s2", "egr_temperature_c_b1s2", 2, plus: -40, .celsius, support: 1, rival: 5),
            Field("c_b1s2_wide", "egr_temperature_c_b1s2_wide", 2, times: 4, plus: -40, .celsius, support: 5, rival: 1),
            Field("b_b2s1", "egr_temperature_b_b2s1", 3, plus: -40, .celsius, support: 2, rival: 6),
            Field("b_b2s1_wide", "egr_temperature_b_b2s1_wide", 3, times: 4, plus: -40, .celsius, support: 6, rival: 2),
            Field("d_b2s2", "egr_temperature_d_b2s2", 4, plus: -40, .celsius, support: 3, rival: 7),
            Field("d_b2s2_wide", "egr_temperature_d_b2s2_wide", 4, times: 4, plus: -40, .celsius, support: 7, rival: 3),
        ]),
        Parameter(0x6C, "throttle_actuator", "Throttle actuator control and relative throttle position A/B",
            "TAC_AB", 5, .composite, [
            Field("cmd_a", "throttle_actuator_cmd_a", 1, times: 100, over: 255, .percent, support: 0),
            Field("pos_a", "throttle_actuator_pos_a", 2, times: 100, over: 255, .percent, support: 1),
            Field("cmd_b", "throttle_actuator_cmd_b", 3, times: 100, over: 255, .percent, support: 2),
            Field("pos_b", "throttle_actuator_pos_b", 4, times: 100, over: 255, .percent, support: 3),
        ]),
        Parameter(0x6D, "fuel_pressure_control", "Fuel pressure control system", "FPCS", 11, .composite, [
            Field("cmd_a", "fuel_pressure_control_cmd_a", 1, bits: 16, times: 10, .kilopascal, support: 0),
            Field("rail_a", "fuel_pressure_control_rail_a", 3, bits: 16, times: 10, .kilopascal, support: 1),
            Field("temp_a", "fuel_pressure_control_temp_a", 5, plus: -40, .celsius, support: 2),
            Field("cmd_b", "fuel_pressure_control_cmd_b", 6, bits: 16, times: 10, .kilopascal, support: 3),
            Field("rail_b", "fuel_pressure_control_rail_b", 8, bits: 16, times: 10, .kilopascal, support: 4),
            Field("temp_b", "fuel_pressure_control_temp_b", 10, plus: -40, .celsius, support: 5),
        ]),
        Parameter(0x6E, "injection_pressure_control", "Injection pressure control system", "IPCS", 9, .composite, [
            Field("cmd_a", "injection_pressure_control_cmd_a", 1, bits: 16, times: 10, .kilopascal, support: 0),
            Field("act_a", "injection_pressure_control_act_a", 3, bits: 16, times: 10, .kilopascal, support: 1),
            Field("cmd_b", "injection_pressure_control_cmd_b", 5, bits: 16, times: 10, .kilopascal, support: 2),
            Field("act_b", "injection_pressure_control_act_b", 7, bits: 16, times: 10, .kilopascal, support: 3),
        ]),
        Parameter(0x6F, "turbo_inlet_pressure", "Turbocharger compressor inlet pressure", "TCIP", 3, .composite, [
            Field("a", "turbo_inlet_pressure_a", 1, .kilopascal, support: 0, rival: 2),
            Field("b", "turbo_inlet_pressure_b", 2, .kilopascal, support: 1, rival: 3),
            Field("a_wide", "turbo_inlet_pressure_a_wide", 1, times: 8, .kilopascal, support: 2, rival: 0),
            Field("b_wide", "turbo_inlet_pressure_b_wide", 2, times: 8, .kilopascal, support: 3, rival: 1),
        ]),
        Parameter(0x70, "boost_pressure", "Boost pressure control", "BOOST", 10, .composite, [
            Field("cmd_a", "boost_pressure_cmd_a", 1, bits: 16, over: 32, .kilopascal, support: 0),
            Field("act_a", "boost_pressure_act_a", 3, bits: 16, over: 32, .kilopascal, support: 1),
            Field("cmd_b", "boost_pressure_cmd_b", 5, bits: 16, over: 32, .kilopascal, support: 3),
            Field("act_b", "boost_pressure_act_b", 7, bits: 16, over: 32, .kilopascal, support: 4),
            Field("status_a", "boost_pressure_status_a", 9, msb: 1, bits: 2, support: 2, labels: Labels.controlStatus),
            Field("status_b", "boost_pressure_status_b", 9, msb: 3, bits: 2, support: 5, labels: Labels.controlStatus),
        ]),
        Parameter(0x71, "variable_geometry_turbo", "Variable geometry turbo control", "VGT", 6, .composite, [
            Field("cmd_a", "variable_geometry_turbo_cmd_a", 1, times: 100, over: 255, .percent, support: 0),
            Field("pos_a", "variable_geometry_turbo_pos_a", 2, times: 100, over: 255, .percent, support: 1),
            Field("cmd_b", "variable_geometry_turbo_cmd_b", 3, times: 100, over: 255, .percent, support: 3),
            Field("pos_b", "variable_geometry_turbo_pos_b", 4, times: 100, over: 255, .percent, support: 4),
            Field("status_a", "variable_geometry_turbo_status_a", 5, msb: 1, bits: 2, support: 2,
                labels: Labels.controlStatus),
            Field("status_b", "variable_geometry_turbo_status_b", 5, msb: 3, bits: 2, support: 5,
                labels: Labels.controlStatus),
        ]),
        Parameter(0x72, "wastegate", "Wastegate control A/B", "WG_AB", 5, .composite, [
            Field("cmd_a", "wastegate_cmd_a", 1, times: 100, over: 255, .percent, support: 0),
            Field("pos_a", "wastegate_pos_a", 2, times: 100, over: 255, .percent, support: 1),
            Field("cmd_b", "wastegate_cmd_b", 3, times: 100, over: 255, .percent, support: 2),
            Field("pos_b", "wastegate_pos_b", 4, times: 100, over: 255, .percent, support: 3),
        ]),
        Parameter(0x73, "exhaust_pressure", "Exhaust pressure", "EXH_P", 5, .composite, [
            Field("bank1", "exhaust_pressure_bank1", 1, bits: 16, over: 100, .kilopascal, support: 0),
            Field("bank2", "exhaust_pressure_bank2", 3, bits: 16, over: 100, .kilopascal, support: 1),
        ]),
        Parameter(0x74, "turbo_speed", "Turbocharger speed", "TURBO_RPM", 5, .composite, [
            Field("a", "turbo_speed_a", 1, bits: 16, times: 10, .revolutionsPerMinute, support: 0),
            Field("b", "turbo_speed_b", 3, bits: 16, times: 10, .revolutionsPerMinute, support: 1),
        ]),
        Parameter(0x75, "turbo_a_temperature", "Turbocharger A temperatures", "TURBO_T_A", 7, .composite, [
            Field("comp_in", "turbo_a_temperature_comp_in", 1, plus: -40, .celsius, support: 0),
            Field("comp_out", "turbo_a_temperature_comp_out", 2, plus: -40, .celsius, support: 1),
            Field("turb_in", "turbo_a_temperature_turb_in", 3, bits: 16, over: 10, plus: -40, .celsius, support: 2),
            Field("turb_out", "turbo_a_temperature_turb_out", 5, bits: 16, over: 10, plus: -40, .celsius, support: 3),
        ]),
        Parameter(0x76, "turbo_b_temperature", "Turbocharger B temperatures", "TURBO_T_B", 7, .composite, [
            Field("comp_in", "turbo_b_temperature_comp_in", 1, plus: -40, .celsius, support: 0),
            Field("comp_out", "turbo_b_temperature_comp_out", 2, plus: -40, .celsius, support: 1),
            Field("turb_in", "turbo_b_temperature_turb_in", 3, bits: 16, over: 10, plus: -40, .celsius, support: 2),
            Field("turb_out", "turbo_b_temperature_turb_out", 5, bits: 16, over: 10, plus: -40, .celsius, support: 3),
        ]),
        Parameter(0x77, "charge_air_temperature", "Charge air cooler temperature", "CACT", 5, .composite, [
            Field("B1S1", "charge_air_temperature_b1s1", 1, plus: -40, .celsius, support: 0),
            Field("B1S2", "charge_air_temperature_b1s2", 2, plus: -40, .celsius, support: 1),
            Field("B2S1", "charge_air_temperature_b2s1", 3, plus: -40, .celsius, support: 2),
            Field("B2S2", "charge_air_temperature_b2s2", 4, plus: -40, .celsius, support: 3),
        ]),
        Parameter(0x78, "exhaust_gas_temperature_bank_1", "Exhaust gas temperature bank 1 sensors 1-4",
            "EGT_B1_1", 9, .composite, [
            Field("s1", "exhaust_gas_temperature_bank_1_s1", 1, bits: 16, over: 10, plus: -40, .celsius, support: 0),
            Field("s2", "exhaust_gas_temperature_bank_1_s2", 3, bits: 16, over: 10, plus: -40, .celsius, support: 1),
            Field("s3", "exhaust_gas_temperature_bank_1_s3", 5, bits: 16, over: 10, plus: -40, .celsius, support: 2),
            Field("s4", "exhaust_gas_temperature_bank_1_s4", 7, bits: 16, over: 10, plus: -40, .celsius, support: 3),
        ]),
        Parameter(0x79, "exhaust_gas_temperature_bank_2", "Exhaust gas temperature bank 2 sensors 1-4",
            "EGT_B2_1", 9, .composite, [
            Field("s1", "exhaust_gas_temperature_bank_2_s1", 1, bits: 16, over: 10, plus: -40, .celsius, support: 0),
            Field("s2", "exhaust_gas_temperature_bank_2_s2", 3, bits: 16, over: 10, plus: -40, .celsius, support: 1),
            Field("s3", "exhaust_gas_temperature_bank_2_s3", 5, bits: 16, over: 10, plus: -40, .celsius, support: 2),
            Field("s4", "exhaust_gas_temperature_bank_2_s4", 7, bits: 16, over: 10, plus: -40, .celsius, support: 3),
        ]),
        Parameter(0x7A, "dpf_bank_1", "Diesel particulate filter bank 1 pressures", "DPF_B1", 7, .composite, [
            Field("delta", "dpf_bank_1_delta", 1, bits: 16, signed: true, over: 100, .kilopascal, support: 0),
            Field("inlet", "dpf_bank_1_inlet", 3, bits: 16, over: 100, .kilopascal, support: 1),
            Field("outlet", "dpf_bank_1_outlet", 5, bits: 16, over: 100, .kilopascal, support: 2),
        ]),
        Parameter(0x7B, "dpf_bank_2", "Diesel particulate filter bank 2 pressures", "DPF_B2", 7, .composite, [
            Field("delta", "dpf_bank_2_delta", 1, bits: 16, signed: true, over: 100, .kilopascal, support: 0),
            Field("inlet", "dpf_bank_2_inlet", 3, bits: 16, over: 100, .kilopascal, support: 1),
            Field("outlet", "dpf_bank_2_outlet", 5, bits: 16, over: 100, .kilopascal, support: 2),
        ]),
        Parameter(0x7C, "dpf_temperature", "Diesel particulate filter temperatures", "DPF_T", 9, .composite, [
            Field("b1_in", "dpf_temperature_b1_in", 1, bits: 16, over: 10, plus: -40, .celsius, support: 0),
            Field("b1_out", "dpf_temperature_b1_out", 3, bits: 16, over: 10, plus: -40, .celsius, support: 1),
            Field("b2_in", "dpf_temperature_b2_in", 5, bits: 16, over: 10, plus: -40, .celsius, support: 2),
            Field("b2_out", "dpf_temperature_b2_out", 7, bits: 16, over: 10, plus: -40, .celsius, support: 3),
        ]),
        Parameter(0x7D, "nox_nte_status", "NOx NTE control area status", "NTE_NOX", 1, .bitField, [
            Field("value", "nox_nte_status", 0),
        ]),
        Parameter(0x7E, "pm_nte_status", "PM NTE control area status", "NTE_PM", 1, .bitField, [
            Field("value", "pm_nte_status", 0),
        ]),
        Parameter(0x7F, "run_time_totals", "Engine run time totals", "RUN_TOTALS", 13, .composite, [
            Field("total", "run_time_totals_total", 1, bits: 32, .second, support: 0),
            Field("idle", "run_time_totals_idle", 5, bits: 32, .second, support: 1),
            Field("pto", "run_time_totals_pto", 9, bits: 32, .second, support: 2),
        ]),
    ]
}
