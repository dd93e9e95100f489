// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Parameter {
    /// PIDs 20 to 3F.
    // One row of the table on each line.
    // swift-format-ignore
    static let rows20: [Parameter] = [
        Parameter(0x20, "supported_pids_20", "PIDs supported 21-40", "PIDS_20", 4, .bitField, [
            Field("supported", "supported_pids_20_supported", 0, bits: 32, form: .pids(after: 0x20)),
        ], vss: ["Vehicle.OBD.PidsB"]),
        Parameter(0x21, "distance_with_mil", "Distance travelled with MIL on", "DISTANCE_W_MIL", 2, .numeric, [
            Field("value", "distance_with_mil", 0, bits: 16, .kilometer),
        ], vss: ["Vehicle.OBD.DistanceWithMIL"]),
        Parameter(0x22, "fuel_rail_pressure_relative", "Fuel rail pressure relative to manifold vacuum",
            "FRP_VAC", 2, .numeric, [
            Field("value", "fuel_rail_pressure_relative", 0, bits: 16, times: 79, over: 1000, .kilopascal),
        ], vss: ["Vehicle.OBD.FuelRailPressureVac"]),
        Parameter(0x23, "fuel_rail_pressure", "Fuel rail gauge pressure (diesel or GDI)", "FRP_DIRECT", 2, .numeric, [
            Field("value", "fuel_rail_pressure", 0, bits: 16, times: 10, .kilopascal),
        ], vss: ["Vehicle.OBD.FuelRailPressureDirect"], sentinel: true),
        Parameter(0x24, "o2_sensor_wide_b1s1", "Wide-range O2 sensor B1S1: lambda and voltage",
            "O2WR_V_1", 4, .composite, [
            Field("lambda", "o2_sensor_wide_b1s1_lambda", 0, bits: 16, times: 2, over: 65536, .ratio,
                scaled: .equivalenceRatio),
            Field("voltage", "o2_sensor_wide_b1s1_voltage", 2, bits: 16, times: 8, over: 65536, .volt,
                scaled: .oxygenSensorVoltage),
        ], vss: ["Vehicle.OBD.O2WR.Sensor1.Lambda", "Vehicle.OBD.O2WR.Sensor1.Voltage"]),
        Parameter(0x25, "o2_sensor_wide_b1s2", "Wide-range O2 sensor B1S2: lambda and voltage",
            "O2WR_V_2", 4, .composite, [
            Field("lambda", "o2_sensor_wide_b1s2_lambda", 0, bits: 16, times: 2, over: 65536, .ratio,
                scaled: .equivalenceRatio),
            Field("voltage", "o2_sensor_wide_b1s2_voltage", 2, bits: 16, times: 8, over: 65536, .volt,
                scaled: .oxygenSensorVoltage),
        ], vss: ["Vehicle.OBD.O2WR.Sensor2.Lambda", "Vehicle.OBD.O2WR.Sensor2.Voltage"]),
        Parameter(0x26, "o2_sensor_wide_b1s3", "Wide-range O2 sensor B1S3: lambda and voltage",
            "O2WR_V_3", 4, .composite, [
            Field("lambda", "o2_sensor_wide_b1s3_lambda", 0, bits: 16, times: 2, over: 65536, .ratio,
                scaled: .equivalenceRatio),
            Field("voltage", "o2_sensor_wide_b1s3_voltage", 2, bits: 16, times: 8, over: 65536, .volt,
                scaled: .oxygenSensorVoltage),
        ], vss: ["Vehicle.OBD.O2WR.Sensor3.Lambda", "Vehicle.OBD.O2WR.Sensor3.Voltage"]),
        Parameter(0x27, "o2_sensor_wide_b1s4", "Wide-range O2 sensor B1S4: lambda and voltage",
            "O2WR_V_4", 4, .composite, [
            Field("lambda", "o2_sensor_wide_b1s4_lambda", 0, bits: 16, times: 2, over: 65536, .ratio,
                scaled: .equivalenceRatio),
            Field("voltage", "o2_sensor_wide_b1s4_voltage", 2, bits: 16, times: 8, over: 65536, .volt,
                scaled: .oxygenSensorVoltage),
        ], vss: ["Vehicle.OBD.O2WR.Sensor4.Lambda", "Vehicle.OBD.O2WR.Sensor4.Voltage"]),
        Parameter(0x28, "o2_sensor_wide_b2s1", "Wide-range O2 sensor B2S1: lambda and voltage",
            "O2WR_V_5", 4, .composite, [
            Field("lambda", "o2_sensor_wide_b2s1_lambda", 0, bits: 16, times: 2, over: 65536, .ratio,
                scaled: .equivalenceRatio),
            Field("voltage", "o2_sensor_wide_b2s1_voltage", 2, bits: 16, times: 8, over: 65536, .volt,
                scaled: .oxygenSensorVoltage),
        ], vss: ["Vehicle.OBD.O2WR.Sensor5.Lambda", "Vehicle.OBD.O2WR.Sensor5.Voltage"]),
        Parameter(0x29, "o2_sensor_wide_b2s2", "Wide-range O2 sensor B2S2: lambda and voltage",
            "O2WR_V_6", 4, .composite, [
            Field("lambda", "o2_sensor_wide_b2s2_lambda", 0, bits: 16, times: 2, over: 65536, .ratio,
                scaled: .equivalenceRatio),
            Field("voltage", "o2_sensor_wide_b2s2_voltage", 2, bits: 16, times: 8, over: 65536, .volt,
                scaled: .oxygenSensorVoltage),
        ], vss: ["Vehicle.OBD.O2WR.Sensor6.Lambda", "Vehicle.OBD.O2WR.Sensor6.Voltage"]),
        Parameter(0x2A, "o2_sensor_wide_b2s3", "Wide-range O2 sensor B2S3: lambda and voltage",
            "O2WR_V_7", 4, .composite, [
            Field("lambda", "o2_sensor_wide_b2s3_lambda", 0, bits: 16, times: 2, over: 65536, .ratio,
                scaled: .equivalenceRatio),
            Field("voltage", "o2_sensor_wide_b2s3_voltage", 2, bits: 16, times: 8, over: 65536, .volt,
                scaled: .oxygenSensorVoltage),
        ], vss: ["Vehicle.OBD.O2WR.Sensor7.Lambda", "Vehicle.OBD.O2WR.Sensor7.Voltage"]),
        Parameter(0x2B, "o2_sensor_wide_b2s4", "Wide-range O2 sensor B2S4: lambda and voltage",
            "O2WR_V_8", 4, .composite, [
            Field("lambda", "o2_sensor_wide_b2s4_lambda", 0, bits: 16, times: 2, over: 65536, .ratio,
                scaled: .equivalenceRatio),
            Field("voltage", "o2_sensor_wide_b2s4_voltage", 2, bits: 16, times: 8, over: 65536, .volt,
                scaled: .oxygenSensorVoltage),
        ], vss: ["Vehicle.OBD.O2WR.Sensor8.Lambda", "Vehicle.OBD.O2WR.Sensor8.Voltage"]),
        Parameter(0x2C, "commanded_egr", "Commanded EGR", "EGR_CMD", 1, .numeric, [
            Field("value", "commanded_egr", 0, times: 100, over: 255, .percent),
        ], vss: ["Vehicle.OBD.CommandedEGR"]),
        Parameter(0x2D, "egr_error", "EGR error", "EGR_ERROR", 1, .numeric, [
            Field("value", "egr_error", 0, times: 100, over: 128, plus: -100, .percent),
        ], vss: ["Vehicle.OBD.EGRError"]),
        Parameter(0x2E, "commanded_evap_purge", "Commanded evaporative purge", "EVAP_PURGE", 1, .numeric, [
            Field("value", "commanded_evap_purge", 0, times: 100, over: 255, .percent),
        ], vss: ["Vehicle.OBD.CommandedEVAP"]),
        Parameter(0x2F, "fuel_level", "Fuel tank level input", "FUEL_LEVEL", 1, .numeric, [
            Field("value", "fuel_level", 0, times: 100, over: 255, .percent),
        ], vss: ["Vehicle.OBD.FuelLevel"]),
        Parameter(0x30, "warm_ups_since_clear", "Warm-ups since codes cleared", "WARMUPS", 1, .numeric, [
            Field("value", "warm_ups_since_clear", 0, .count),
        ], vss: ["Vehicle.OBD.WarmupsSinceDTCClear"]),
        Parameter(0x31, "distance_since_clear", "Distance travelled since codes cleared",
            "DISTANCE_SINCE_CLEAR", 2, .numeric, [
            Field("value", "distance_since_clear", 0, bits: 16, .kilometer),
        ], vss: ["Vehicle.OBD.DistanceSinceDTCClear"]),
        Parameter(0x32, "evap_vapor_pressure", "Evaporative system vapour pressure", "EVAP_VP", 2, .numeric, [
            Field("value", "evap_vapor_pressure", 0, bits: 16, signed: true, over: 4, .pascal),
        ], vss: ["Vehicle.OBD.EVAPVaporPressure"]),
        Parameter(0x33, "barometric_pressure", "Absolute barometric pressure", "BARO", 1, .numeric, [
            Field("value", "barometric_pressure", 0, .kilopascal, barometric: true),
        ], vss: ["Vehicle.OBD.BarometricPressure"], sentinel: true),
        Parameter(0x34, "o2_sensor_pump_b1s1", "Wide-range O2 sensor B1S1: lambda and current",
            "O2WR_I_1", 4, .composite, [
            Field("lambda", "o2_sensor_pump_b1s1_lambda", 0, bits: 16, times: 2, over: 65536, .ratio,
                scaled: .equivalenceRatio),
            Field("current", "o2_sensor_pump_b1s1_current", 2, bits: 16, over: 256, plus: -128, .milliampere,
                scaled: .oxygenSensorCurrent),
        ], vss: ["Vehicle.OBD.O2WR.Sensor1.Lambda", "Vehicle.OBD.O2WR.Sensor1.Current"], sentinel: true),
        Parameter(0x35, "o2_sensor_pump_b1s2", "Wide-range O2 sensor B1S2: lambda and current",
            "O2WR_I_2", 4, .composite, [
            Field("lambda", "o2_sensor_pump_b1s2_lambda", 0, bits: 16, times: 2, over: 65536, .ratio,
                scaled: .equivalenceRatio),
            Field("current", "o2_sensor_pump_b1s2_current", 2, bits: 16, over: 256, plus: -128, .milliampere,
                scaled: .oxygenSensorCurrent),
        ], vss: ["Vehicle.OBD.O2WR.Sensor2.Lambda", "Vehicle.OBD.O2WR.Sensor2.Current"], sentinel: true),
        Parameter(0x36, "o2_sensor_pump_b1s3", "Wide-range O2 sensor B1S3: lambda and current",
            "O2WR_I_3", 4, .composite, [
            Field("lambda", "o2_sensor_pump_b1s3_lambda", 0, bits: 16, times: 2, over: 65536, .ratio,
                scaled: .equivalenceRatio),
            Field("current", "o2_sensor_pump_b1s3_current", 2, bits: 16, over: 256, plus: -128, .milliampere,
                scaled: .oxygenSensorCurrent),
        ], vss: ["Vehicle.OBD.O2WR.Sensor3.Lambda", "Vehicle.OBD.O2WR.Sensor3.Current"], sentinel: true),
        Parameter(0x37, "o2_sensor_pump_b1s4", "Wide-range O2 sensor B1S4: lambda and current",
            "O2WR_I_4", 4, .composite, [
            Field("lambda", "o2_sensor_pump_b1s4_lambda", 0, bits: 16, times: 2, over: 65536, .ratio,
                scaled: .equivalenceRatio),
            Field("current", "o2_sensor_pump_b1s4_current", 2, bits: 16, over: 256, plus: -128, .milliampere,
                scaled: .oxygenSensorCurrent),
        ], vss: ["Vehicle.OBD.O2WR.Sensor4.Lambda", "Vehicle.OBD.O2WR.Sensor4.Current"], sentinel: true),
        Parameter(0x38, "o2_sensor_pump_b2s1", "Wide-range O2 sensor B2S1: lambda and current",
            "O2WR_I_5", 4, .composite, [
            Field("lambda", "o2_sensor_pump_b2s1_lambda", 0, bits: 16, times: 2, over: 65536, .ratio,
                scaled: .equivalenceRatio),
            Field("current", "o2_sensor_pump_b2s1_current", 2, bits: 16, over: 256, plus: -128, .milliampere,
                scaled: .oxygenSensorCurrent),
        ], vss: ["Vehicle.OBD.O2WR.Sensor5.Lambda", "Vehicle.OBD.O2WR.Sensor5.Current"], sentinel: true),
        Parameter(0x39, "o2_sensor_pump_b2s2", "Wide-range O2 sensor B2S2: lambda and current",
            "O2WR_I_6", 4, .composite, [
            Field("lambda", "o2_sensor_pump_b2s2_lambda", 0, bits: 16, times: 2, over: 65536, .ratio,
                scaled: .equivalenceRatio),
            Field("current", "o2_sensor_pump_b2s2_current", 2, bits: 16, over: 256, plus: -128, .milliampere,
                scaled: .oxygenSensorCurrent),
        ], vss: ["Vehicle.OBD.O2WR.Sensor6.Lambda", "Vehicle.OBD.O2WR.Sensor6.Current"], sentinel: true),
        Parameter(0x3A, "o2_sensor_pump_b2s3", "Wide-range O2 sensor B2S3: lambda and current",
            "O2WR_I_7", 4, .composite, [
            Field("lambda", "o2_sensor_pump_b2s3_lambda", 0, bits: 16, times: 2, over: 65536, .ratio,
                scaled: .equivalenceRatio),
            Field("current", "o2_sensor_pump_b2s3_current", 2, bits: 16, over: 256, plus: -128, .milliampere,
                scaled: .oxygenSensorCurrent),
        ], vss: ["Vehicle.OBD.O2WR.Sensor7.Lambda", "Vehicle.OBD.O2WR.Sensor7.Current"], sentinel: true),
        Parameter(0x3B, "o2_sensor_pump_b2s4", "Wide-range O2 sensor B2S4: lambda and current",
            "O2WR_I_8", 4, .composite, [
            Field("lambda", "o2_sensor_pump_b2s4_lambda", 0, bits: 16, times: 2, over: 65536, .ratio,
                scaled: .equivalenceRatio),
            Field("current", "o2_sensor_pump_b2s4_current", 2, bits: 16, over: 256, plus: -128, .milliampere,
                scaled: .oxygenSensorCurrent),
        ], vss: ["Vehicle.OBD.O2WR.Sensor8.Lambda", "Vehicle.OBD.O2WR.Sensor8.Current"], sentinel: true),
        Parameter(0x3C, "catalyst_temperature_b1s1", "Catalyst temperature B1S1", "CAT_TEMP_B1S1", 2, .numeric, [
            Field("value", "catalyst_temperature_b1s1", 0, bits: 16, over: 10, plus: -40, .celsius),
        ], vss: ["Vehicle.OBD.Catalyst.Bank1.Temperature1"], sentinel: true),
        Parameter(0x3D, "catalyst_temperature_b2s1", "Catalyst temperature B2S1", "CAT_TEMP_B2S1", 2, .numeric, [
            Field("value", "catalyst_temperature_b2s1", 0, bits: 16, over: 10, plus: -40, .celsius),
        ], vss: ["Vehicle.OBD.Catalyst.Bank2.Temperature1"], sentinel: true),
        Parameter(0x3E, "catalyst_temperature_b1s2", "Catalyst temperature B1S2", "CAT_TEMP_B1S2", 2, .numeric, [
            Field("value", "catalyst_temperature_b1s2", 0, bits: 16, over: 10, plus: -40, .celsius),
        ], vss: ["Vehicle.OBD.Catalyst.Bank1.Temperature2"], sentinel: true),
        Parameter(0x3F, "catalyst_temperature_b2s2", "Catalyst temperature B2S2", "CAT_TEMP_B2S2", 2, .numeric, [
            Field("value", "catalyst_temperature_b2s2", 0, bits: 16, over: 10, plus: -40, .celsius),
        ], vss: ["Vehicle.OBD.Catalyst.Bank2.Temperature2"], sentinel: true),
    ]
}
