// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension ParameterGroup {
    /// The groups that the agent reads, with SPN, first byte, bits, resolution and offset of SAE J1939-71
    /// and J1939-73.
    ///
    /// A value that a PID also measures has the PID's name and unit, and the group's own resolution.
    // One row of the table on each line.
    // swift-format-ignore
    package static let all: [ParameterGroup] = [
        ParameterGroup(pgn: 0xC100, title: "DM21, distance and time with faults", interval: nil, signals: [
            signal(3069, "distance_with_mil", 0, bits: 16, .kilometer),
            signal(3294, "distance_since_clear", 2, bits: 16, .kilometer),
            signal(3295, "run_time_with_mil", 4, bits: 16, .minute),
            signal(3296, "time_since_clear", 6, bits: 16, .minute),
        ]),
        ParameterGroup(pgn: 0xF003, title: "Electronic engine controller 2", interval: .milliseconds(50), signals: [
            signal(91, "accelerator_pedal_position", 1, times: 2, over: 5, .percent),
            signal(92, "engine_load", 2, .percent),
        ]),
        ParameterGroup(pgn: 0xF004, title: "Electronic engine controller 1", interval: .milliseconds(100), signals: [
            signal(512, "demanded_torque", 1, plus: -125, .percent),
            signal(513, "actual_torque", 2, plus: -125, .percent),
            signal(190, "engine_speed", 3, bits: 16, over: 8, .revolutionsPerMinute),
        ]),
        ParameterGroup(pgn: .tripReadiness, title: "DM26, readiness in this trip", interval: nil, signals: [
            signal(3301, "run_time", 0, bits: 16, .second),
            signal(3302, "warm_ups_since_clear", 2, .count),
        ]),
        ParameterGroup(pgn: 0xFEC1, title: "High resolution vehicle distance", interval: .seconds(1), signals: [
            signal(917, "odometer", 0, bits: 32, over: 200, .kilometer),
        ]),
        ParameterGroup(pgn: 0xFEE5, title: "Engine hours", interval: nil, signals: [
            signal(247, "engine_hours", 0, bits: 32, over: 20, .hour),
        ]),
        ParameterGroup(pgn: 0xFEEE, title: "Engine temperature 1", interval: .seconds(1), signals: [
            signal(110, "coolant_temperature", 0, plus: -40, .celsius),
            signal(174, "fuel_temperature", 1, plus: -40, .celsius),
            signal(175, "oil_temperature", 2, bits: 16, over: 32, plus: -273, .celsius),
        ]),
        ParameterGroup(pgn: 0xFEEF, title: "Engine fluid level and pressure 1", interval: .milliseconds(500), signals: [
            signal(98, "oil_level", 2, times: 2, over: 5, .percent),
            signal(100, "oil_pressure", 3, times: 4, .kilopascal),
        ]),
        ParameterGroup(pgn: 0xFEF1, title: "Cruise control and vehicle speed", interval: .milliseconds(100), signals: [
            signal(84, "vehicle_speed", 1, bits: 16, over: 256, .kilometerPerHour),
        ]),
        ParameterGroup(pgn: 0xFEF2, title: "Fuel economy", interval: .milliseconds(100), signals: [
            signal(183, "fuel_rate", 0, bits: 16, over: 20, .literPerHour),
        ]),
        ParameterGroup(pgn: 0xFEF5, title: "Ambient conditions", interval: .seconds(1), signals: [
            signal(108, "barometric_pressure", 0, over: 2, .kilopascal, barometric: true),
            signal(171, "ambient_air_temperature", 3, bits: 16, over: 32, plus: -273, .celsius),
            signal(172, "intake_air_temperature", 5, plus: -40, .celsius),
        ]),
        ParameterGroup(pgn: 0xFEF7, title: "Vehicle electrical power 1", interval: .seconds(1), signals: [
            signal(168, "battery_voltage", 4, bits: 16, over: 20, .volt),
        ]),
        ParameterGroup(pgn: 0xFEFC, title: "Dash display 1", interval: .seconds(1), signals: [
            signal(96, "fuel_level", 1, times: 2, over: 5, .percent),
        ]),
    ]

    // Inlining would repeat the code in every row of the table.
    @inline(never)
    private static func signal(
        _ spn: SPN,
        _ name: String,
        _ byte: Int,
        bits: Int = 8,
        times multiplier: Int = 1,
        over divisor: Int = 1,
        plus addend: Int = 0,
        _ unit: Unit,
        barometric: Bool = false
    ) -> Signal {
        Signal(
            spn: spn,
            field: Field(
                "value",
                name,
                byte,
                bits: bits,
                times: multiplier,
                over: divisor,
                plus: addend,
                unit,
                barometric: barometric
            )
        )
    }
}
