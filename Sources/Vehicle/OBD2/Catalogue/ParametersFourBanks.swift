// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Parameter {
    /// The oxygen sensors of banks 3 and 4, which only ECUs with PID 1D have.
    ///
    /// Each takes the place in the catalogue of a sensor that those ECUs do not have, see ``OxygenSensorLayout``.
    package static let fourBanks: [Parameter] = OxygenSensorLayout.sensorsOfBanks3And4.flatMap { place, sensor in
        [Self.narrow(sensor, 0x14 + place), Self.wide(sensor, 0x24 + place), Self.pump(sensor, 0x34 + place)]
    }

    /// Returns the sensor of bank 3 or 4 in the place of `pid`; nil if that place has no other sensor with PID 1D.
    static func ofFourBanks(_ pid: PID) -> Parameter? {
        Self.fourBanks.first { $0.pid == pid }
    }

    // One row of the table on each line.
    // swift-format-ignore
    private static func narrow(_ sensor: String, _ pid: UInt8) -> Parameter {
        let name = "o2_sensor_\(sensor.lowercased())"
        return Parameter(PID(rawValue: pid), name, "Oxygen sensor \(sensor): voltage and short term trim",
            "O2_\(sensor)", 2, .composite, [
            Field("voltage", "\(name)_voltage", 0, over: 200, .volt),
            Field("trim", "\(name)_trim", 1, times: 100, over: 128, plus: -100, .percent, optional: true),
        ])
    }

    // swift-format-ignore
    private static func wide(_ sensor: String, _ pid: UInt8) -> Parameter {
        let name = "o2_sensor_wide_\(sensor.lowercased())"
        return Parameter(PID(rawValue: pid), name, "Wide-range O2 sensor \(sensor): lambda and voltage",
            "O2WR_V_\(sensor)", 4, .composite, [
            Field("lambda", "\(name)_lambda", 0, bits: 16, times: 2, over: 65536, .ratio, scaled: .equivalenceRatio),
            Field("voltage", "\(name)_voltage", 2, bits: 16, times: 8, over: 65536, .volt, scaled: .oxygenSensorVoltage),
        ])
    }

    // swift-format-ignore
    private static func pump(_ sensor: String, _ pid: UInt8) -> Parameter {
        let name = "o2_sensor_pump_\(sensor.lowercased())"
        return Parameter(PID(rawValue: pid), name, "Wide-range O2 sensor \(sensor): lambda and current",
            "O2WR_I_\(sensor)", 4, .composite, [
            Field("lambda", "\(name)_lambda", 0, bits: 16, times: 2, over: 65536, .ratio, scaled: .equivalenceRatio),
            Field("current", "\(name)_current", 2, bits: 16, over: 256, plus: -128, .milliampere,
                scaled: .oxygenSensorCurrent),
        ], sentinel: true)
    }
}
