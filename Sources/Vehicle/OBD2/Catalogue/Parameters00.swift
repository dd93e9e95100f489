// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Parameter {
    /// PIDs 00 to 1F.
    // One row of the table on each line.
    // swift-format-ignore
    static let rows00: [Parameter] = [
        Parameter(0x00, "supported_pids_00", "PIDs supported 01-20", "PIDS_00", 4, .bitField, [
            Field("supported", "supported_pids_00_supported", 0, bits: 32, form: .pids(after: 0x00)),
        ], vss: ["Vehicle.OBD.PidsA"]),
        Parameter(0x01, "monitor_status", "Monitor status since DTCs cleared", "STATUS", 4, .bitField, [
            Field("mil", "monitor_status_mil", 0, bits: 1),
            Field("dtc_count", "monitor_status_dtc_count", 0, msb: 6, bits: 7),
            Field("compression", "monitor_status_compression", 1, msb: 3, bits: 1),
            Field("ignition", "monitor_status_ignition", 0, bits: 32, form: .ignition),
            Field("supported", "monitor_status_supported", 0, bits: 32, form: .supportedMonitors),
            Field("incomplete", "monitor_status_incomplete", 0, bits: 32, form: .incompleteMonitors),
        ], vss: [
            "Vehicle.OBD.Status.IsMILOn",
            "Vehicle.OBD.Status.DTCCount",
            "Vehicle.OBD.Status.IgnitionType",
        ]),
        Parameter(0x02, "freeze_frame_code", "DTC that caused freeze frame storage", "FREEZE_DTC", 2, .composite, [
            Field("dtc", "freeze_frame_code_dtc", 0, bits: 16, form: .troubleCode),
        ], vss: ["Vehicle.OBD.FreezeDTC"]),
        Parameter(0x03, "fuel_system_status", "Fuel system status", "FUEL_STATUS", 2, .enumeration, [
            Field("system1", "fuel_system_status_system1", 0, labels: Labels.fuelSystemStatus),
            Field("system2", "fuel_system_status_system2", 1, labels: Labels.fuelSystemStatus),
        ], vss: ["Vehicle.OBD.FuelStatus"]),
        Parameter(0x04, "engine_load", "Calculated engine load", "ENGINE_LOAD", 1, .numeric, [
            Field("value", "engine_load", 0, times: 100, over: 255, .percent),
        ], vss: ["Vehicle.OBD.EngineLoad"]),
        Parameter(0x05, "coolant_temperature", "Engine coolant temperature", "COOLANT_TEMP", 1, .numeric, [
            Field("value", "coolant_temperature", 0, plus: -40, .celsius),
        ], vss: ["Vehicle.OBD.CoolantTemperature"], sentinel: true),
        Parameter(0x06, "short_term_fuel_trim_bank_1", "Short term fuel trim bank 1",
            "STFT1", 2, optional: 1, .numeric, [
            Field("value", "short_term_fuel_trim_bank_1", 0, times: 100, over: 128, plus: -100, .percent),
        ], vss: ["Vehicle.OBD.ShortTermFuelTrim1"]),
        Parameter(0x07, "long_term_fuel_trim_bank_1", "Long term fuel trim bank 1", "LTFT1", 2, optional: 1, .numeric, [
            Field("value", "long_term_fuel_trim_bank_1", 0, times: 100, over: 128, plus: -100, .percent),
        ], vss: ["Vehicle.OBD.LongTermFuelTrim1"]),
        Parameter(0x08, "short_term_fuel_trim_bank_2", "Short term fuel trim bank 2",
            "STFT2", 2, optional: 1, .numeric, [
            Field("value", "short_term_fuel_trim_bank_2", 0, times: 100, over: 128, plus: -100, .percent),
        ], vss: ["Vehicle.OBD.ShortTermFuelTrim2"]),
        Parameter(0x09, "long_term_fuel_trim_bank_2", "Long term fuel trim bank 2", "LTFT2", 2, optional: 1, .numeric, [
            Field("value", "long_term_fuel_trim_bank_2", 0, times: 100, over: 128, plus: -100, .percent),
        ], vss: ["Vehicle.OBD.LongTermFuelTrim2"]),
        Parameter(0x0A, "fuel_pressure", "Fuel pressure (gauge)", "FUEL_PRESSURE", 1, .numeric, [
            Field("value", "fuel_pressure", 0, times: 3, .kilopascal),
        ], vss: ["Vehicle.OBD.FuelPressure"]),
        Parameter(0x0B, "intake_manifold_pressure", "Intake manifold absolute pressure", "MAP", 1, .numeric, [
            Field("value", "intake_manifold_pressure", 0, .kilopascal, barometric: true, scaled: .manifoldPressure),
        ], vss: ["Vehicle.OBD.MAP"]),
        Parameter(0x0C, "engine_speed", "Engine speed", "RPM", 2, .numeric, [
            Field("value", "engine_speed", 0, bits: 16, over: 4, .revolutionsPerMinute),
        ], vss: ["Vehicle.OBD.EngineSpeed"], sentinel: true),
        Parameter(0x0D, "vehicle_speed", "Vehicle speed", "SPEED", 1, .numeric, [
            Field("value", "vehicle_speed", 0, .kilometerPerHour),
        ], vss: ["Vehicle.OBD.Speed"], sentinel: true),
        Parameter(0x0E, "timing_advance", "Timing advance (before TDC; cylinder 1)", "TIMING_ADVANCE", 1, .numeric, [
            Field("value", "timing_advance", 0, over: 2, plus: -64, .degree),
        ], vss: ["Vehicle.OBD.TimingAdvance"]),
        Parameter(0x0F, "intake_air_temperature", "Intake air temperature", "INTAKE_TEMP", 1, .numeric, [
            Field("value", "intake_air_temperature", 0, plus: -40, .celsius),
        ], vss: ["Vehicle.OBD.IntakeTemp"], sentinel: true),
        Parameter(0x10, "mass_air_flow", "Mass air flow rate", "MAF", 2, .numeric, [
            Field("value", "mass_air_flow", 0, bits: 16, over: 100, .gramPerSecond, scaled: .airFlow),
        ], vss: ["Vehicle.OBD.MAF"]),
        Parameter(0x11, "throttle_position", "Absolute throttle position", "THROTTLE_POS", 1, .numeric, [
            Field("value", "throttle_position", 0, times: 100, over: 255, .percent),
        ], vss: ["Vehicle.OBD.ThrottlePosition"]),
        Parameter(0x12, "secondary_air_status", "Commanded secondary air status", "AIR_STATUS", 1, .enumeration, [
            Field("value", "secondary_air_status", 0, labels: Labels.secondaryAir),
        ], vss: ["Vehicle.OBD.AirStatus"]),
        Parameter(0x13, "o2_sensors_present", "Oxygen sensors present (2 banks)", "O2_SENSORS", 1, .bitField, [
            Field("B1S1", "o2_sensors_present_b1s1", 0, msb: 0, bits: 1),
            Field("B1S2", "o2_sensors_present_b1s2", 0, msb: 1, bits: 1),
            Field("B1S3", "o2_sensors_present_b1s3", 0, msb: 2, bits: 1),
            Field("B1S4", "o2_sensors_present_b1s4", 0, msb: 3, bits: 1),
            Field("B2S1", "o2_sensors_present_b2s1", 0, msb: 4, bits: 1),
            Field("B2S2", "o2_sensors_present_b2s2", 0, msb: 5, bits: 1),
            Field("B2S3", "o2_sensors_present_b2s3", 0, msb: 6, bits: 1),
            Field("B2S4", "o2_sensors_present_b2s4", 0, bits: 1),
            Field("present", "o2_sensors_present_present", 0, form: .names(Labels.sensorsOfTwoBanks)),
        ], vss: ["Vehicle.OBD.OxygenSensorsIn2Banks"]),
        Parameter(0x14, "o2_sensor_b1s1", "Oxygen sensor B1S1: voltage and short term trim", "O2_B1S1", 2, .composite, [
            Field("voltage", "o2_sensor_b1s1_voltage", 0, over: 200, .volt),
            Field("trim", "o2_sensor_b1s1_trim", 1, times: 100, over: 128, plus: -100, .percent, optional: true),
        ], vss: ["Vehicle.OBD.O2.Sensor1.Voltage", "Vehicle.OBD.O2.Sensor1.ShortTermFuelTrim"]),
        Parameter(0x15, "o2_sensor_b1s2", "Oxygen sensor B1S2: voltage and short term trim", "O2_B1S2", 2, .composite, [
            Field("voltage", "o2_sensor_b1s2_voltage", 0, over: 200, .volt),
            Field("trim", "o2_sensor_b1s2_trim", 1, times: 100, over: 128, plus: -100, .percent, optional: true),
        ], vss: ["Vehicle.OBD.O2.Sensor2.Voltage", "Vehicle.OBD.O2.Sensor2.ShortTermFuelTrim"]),
        Parameter(0x16, "o2_sensor_b1s3", "Oxygen sensor B1S3: voltage and short term trim", "O2_B1S3", 2, .composite, [
            Field("voltage", "o2_sensor_b1s3_voltage", 0, over: 200, .volt),
            Field("trim", "o2_sensor_b1s3_trim", 1, times: 100, over: 128, plus: -100, .percent, optional: true),
        ], vss: ["Vehicle.OBD.O2.Sensor3.Voltage", "Vehicle.OBD.O2.Sensor3.ShortTermFuelTrim"]),
        Parameter(0x17, "o2_sensor_b1s4", "Oxygen sensor B1S4: voltage and short term trim", "O2_B1S4", 2, .composite, [
            Field("voltage", "o2_sensor_b1s4_voltage", 0, over: 200, .volt),
            Field("trim", "o2_sensor_b1s4_trim", 1, times: 100, over: 128, plus: -100, .percent, optional: true),
        ], vss: ["Vehicle.OBD.O2.Sensor4.Voltage", "Vehicle.OBD.O2.Sensor4.ShortTermFuelTrim"]),
        Parameter(0x18, "o2_sensor_b2s1", "Oxygen sensor B2S1: voltage and short term trim", "O2_B2S1", 2, .composite, [
            Field("voltage", "o2_sensor_b2s1_voltage", 0, over: 200, .volt),
            Field("trim", "o2_sensor_b2s1_trim", 1, times: 100, over: 128, plus: -100, .percent, optional: true),
        ], vss: ["Vehicle.OBD.O2.Sensor5.Voltage", "Vehicle.OBD.O2.Sensor5.ShortTermFuelTrim"]),
        Parameter(0x19, "o2_sensor_b2s2", "Oxygen sensor B2S2: voltage and short term trim", "O2_B2S2", 2, .composite, [
            Field("voltage", "o2_sensor_b2s2_voltage", 0, over: 200, .volt),
            Field("trim", "o2_sensor_b2s2_trim", 1, times: 100, over: 128, plus: -100, .percent, optional: true),
        ], vss: ["Vehicle.OBD.O2.Sensor6.Voltage", "Vehicle.OBD.O2.Sensor6.ShortTermFuelTrim"]),
        Parameter(0x1A, "o2_sensor_b2s3", "Oxygen sensor B2S3: voltage and short term trim", "O2_B2S3", 2, .composite, [
            Field("voltage", "o2_sensor_b2s3_voltage", 0, over: 200, .volt),
            Field("trim", "o2_sensor_b2s3_trim", 1, times: 100, over: 128, plus: -100, .percent, optional: true),
        ], vss: ["Vehicle.OBD.O2.Sensor7.Voltage", "Vehicle.OBD.O2.Sensor7.ShortTermFuelTrim"]),
        Parameter(0x1B, "o2_sensor_b2s4", "Oxygen sensor B2S4: voltage and short term trim", "O2_B2S4", 2, .composite, [
            Field("voltage", "o2_sensor_b2s4_voltage", 0, over: 200, .volt),
            Field("trim", "o2_sensor_b2s4_trim", 1, times: 100, over: 128, plus: -100, .percent, optional: true),
        ], vss: ["Vehicle.OBD.O2.Sensor8.Voltage", "Vehicle.OBD.O2.Sensor8.ShortTermFuelTrim"]),
        Parameter(0x1C, "obd_standard", "OBD standard the vehicle conforms to", "OBD_COMPLIANCE", 1, .enumeration, [
            Field("value", "obd_standard", 0, labels: Labels.obdStandard),
        ], vss: ["Vehicle.OBD.OBDStandards"]),
        Parameter(0x1D, "o2_sensors_present_4_banks", "Oxygen sensors present (4 banks)",
            "O2_SENSORS_ALT", 1, .bitField, [
            Field("B1S1", "o2_sensors_present_4_banks_b1s1", 0, msb: 0, bits: 1),
            Field("B1S2", "o2_sensors_present_4_banks_b1s2", 0, msb: 1, bits: 1),
            Field("B2S1", "o2_sensors_present_4_banks_b2s1", 0, msb: 2, bits: 1),
            Field("B2S2", "o2_sensors_present_4_banks_b2s2", 0, msb: 3, bits: 1),
            Field("B3S1", "o2_sensors_present_4_banks_b3s1", 0, msb: 4, bits: 1),
            Field("B3S2", "o2_sensors_present_4_banks_b3s2", 0, msb: 5, bits: 1),
            Field("B4S1", "o2_sensors_present_4_banks_b4s1", 0, msb: 6, bits: 1),
            Field("B4S2", "o2_sensors_present_4_banks_b4s2", 0, bits: 1),
            Field("present", "o2_sensors_present_4_banks_present", 0, form: .names(Labels.sensorsOfFourBanks)),
        ], vss: ["Vehicle.OBD.OxygenSensorsIn4Banks"]),
        Parameter(0x1E, "auxiliary_input_status", "Auxiliary input status", "AUX_INPUT", 1, .bitField, [
            Field("pto", "auxiliary_input_status", 0, msb: 0, bits: 1),
        ], vss: ["Vehicle.OBD.IsPTOActive"]),
        Parameter(0x1F, "run_time", "Run time since engine start", "RUN_TIME", 2, .numeric, [
            Field("value", "run_time", 0, bits: 16, .second),
        ], vss: ["Vehicle.OBD.RunTime"]),
    ]
}
