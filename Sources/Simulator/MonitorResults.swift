// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import OBD2

/// The results of an ECU's own tests, as services 05, 06 and 09 report them.
struct MonitorResults: Sendable {
    let ecu: ECU
    let state: VehicleState
    let memory: TroubleMemory

    /// A test of service 06 with its limits.
    private struct Row: Sendable {
        var monitor: UInt8
        var test: UInt8
        var scaling: UInt8
        var value: UInt16
        var minimum: UInt16 = 0
        var maximum: UInt16
        /// The monitor that must have finished before the test has a result.
        var after: Monitor
        /// The code that is confirmed when the test fails.
        var code: UInt16?
    }

    /// The results of service 06 on CAN, in the order of the monitors.
    var tests: [MonitorTest] {
        self.rows.map { row in
            var words = MonitorTest.Words(value: 0, minimum: 0, maximum: 0)
            if self.memory.hasFinished(row.after, self.state) {
                let hasFailed = row.code.map { self.memory.confirmed.contains(DTC(rawValue: $0)) } ?? false
                // The value changes with each trip, so that an old result differs from a new one.
                let value = hasFailed ? row.maximum &+ 20 : row.value
                let drift = row.value == row.maximum ? 0 : UInt16(self.state.trip % 5)
                words = .init(value: value &+ drift, minimum: row.minimum, maximum: row.maximum)
            }
            return MonitorTest(
                monitor: MonitorID(rawValue: row.monitor),
                test: row.test,
                scaling: row.scaling,
                words: words
            )
        }
    }

    private var rows: [Row] {
        switch self.ecu {
        case .engine: Self.engine
        case .transmission: Self.transmission
        case .brakes, .motor, .battery: []
        }
    }

    private static let engine: [Row] = [
        Row(monitor: 0x01, test: 0x01, scaling: 0x0A, value: 3689, minimum: 3689, maximum: 3689, after: .oxygenSensor),
        Row(monitor: 0x01, test: 0x05, scaling: 0x10, value: 72, maximum: 100, after: .oxygenSensor, code: 0x0133),
        Row(monitor: 0x01, test: 0x06, scaling: 0x10, value: 80, maximum: 100, after: .oxygenSensor),
        Row(monitor: 0x02, test: 0x07, scaling: 0x0A, value: 820, maximum: 2459, after: .oxygenSensor),
        Row(monitor: 0x02, test: 0x08, scaling: 0x0A, value: 5738, minimum: 4098, maximum: 9999, after: .oxygenSensor),
        Row(monitor: 0x21, test: 0x80, scaling: 0x20, value: 154, maximum: 192, after: .catalyst, code: 0x0420),
        Row(
            monitor: 0x31,
            test: 0x81,
            scaling: 0xFE,
            value: 0xFDA8,
            minimum: 0xFB50,
            maximum: 400,
            after: .exhaustGasRecirculation,
            code: 0x0401
        ),
        Row(
            monitor: 0x3C,
            test: 0x82,
            scaling: 0xFD,
            value: 0xFEA2,
            minimum: 0x8000,
            maximum: 500,
            after: .evaporativeSystem,
            code: 0x0456
        ),
        Row(
            monitor: 0x41,
            test: 0x83,
            scaling: 0x0E,
            value: 1150,
            minimum: 300,
            maximum: 3000,
            after: .oxygenSensorHeater
        ),
        Row(
            monitor: 0x42,
            test: 0x83,
            scaling: 0x0E,
            value: 980,
            minimum: 300,
            maximum: 3000,
            after: .oxygenSensorHeater
        ),
        Row(monitor: 0xA1, test: 0x0B, scaling: 0x24, value: 2, maximum: 200, after: .misfire, code: 0x0300),
        Row(monitor: 0xA2, test: 0x0C, scaling: 0x24, value: 1, maximum: 200, after: .misfire, code: 0x0301),
        Row(monitor: 0xA3, test: 0x0C, scaling: 0x24, value: 0, maximum: 200, after: .misfire, code: 0x0302),
        Row(monitor: 0xA4, test: 0x0C, scaling: 0x24, value: 3, maximum: 200, after: .misfire, code: 0x0303),
        Row(monitor: 0xA5, test: 0x0C, scaling: 0x24, value: 0, maximum: 200, after: .misfire, code: 0x0304),
    ]
    private static let transmission: [Row] = [
        Row(monitor: 0xE1, test: 0x80, scaling: 0x96, value: 915, minimum: 0xFE70, maximum: 1400, after: .components)
    ]

    /// The results of service 06 on the older buses.
    var componentTests: [ComponentTest] {
        guard self.ecu == .engine else { return [] }
        let hasRun = self.memory.hasFinished(.catalyst, self.state)
        func test(_ id: UInt8, _ component: UInt8, _ value: UInt16, _ limit: UInt16, isMinimum: Bool) -> ComponentTest {
            ComponentTest(
                test: id,
                component: component,
                value: hasRun ? value + UInt16(self.state.trip % 5) : 0,
                limit: hasRun ? limit : 0,
                isMinimum: isMinimum
            )
        }
        return [
            test(0x01, 1, 412, 600, isMinimum: false), test(0x01, 1, 412, 200, isMinimum: true),
            test(0x02, 0x11, 0x1234, 0x2000, isMinimum: false), test(0x05, 3, 90, 40, isMinimum: true),
        ]
    }

    /// Returns the result of a test of service 05.
    ///
    /// - Parameter sensor: one bit, in the order of PID 13.
    func oxygenSensorTest(_ test: UInt8, sensor: UInt8) -> OxygenSensorTest? {
        guard self.ecu == .engine, let raw = Self.oxygenSensorTests[sensor]?[test] else { return nil }
        guard case .measured = raw, !self.memory.hasFinished(.oxygenSensor, self.state) else {
            return OxygenSensorTest(test: test, sensor: sensor, raw: raw)
        }
        return OxygenSensorTest(test: test, sensor: sensor, raw: .measured(value: 0, minimum: 0, maximum: 0))
    }

    /// Returns the tests of service 05 that a sensor has.
    func oxygenSensorTests(sensor: UInt8) -> [UInt8] {
        self.ecu == .engine ? (Self.oxygenSensorTests[sensor]?.keys).map { $0.sorted() } ?? [] : []
    }

    private static let oxygenSensorTests: [UInt8: [UInt8: OxygenSensorTest.Raw]] = [
        0x01: [
            0x01: .constant(90), 0x02: .constant(90), 0x03: .constant(60), 0x04: .constant(120),
            0x05: .measured(value: 18, minimum: 0, maximum: 25), 0x06: .measured(value: 20, minimum: 0, maximum: 25),
            0x09: .measured(value: 17, minimum: 5, maximum: 50),
        ],
        0x02: [
            0x07: .measured(value: 20, minimum: 0, maximum: 60),
            0x08: .measured(value: 140, minimum: 100, maximum: 220),
        ],
    ]

    /// The counters of in-use performance.
    ///
    /// Clearing the codes does not reset them.
    var performance: InUsePerformance? {
        guard self.ecu == .engine else { return nil }
        let counts = [(310, 402), (0, 0), (377, 402), (0, 0), (289, 391), (0, 0), (122, 260), (301, 402), (0, 0)]
        let trips = self.state.trip
        return InUsePerformance(
            ignition: .spark,
            monitoringConditions: 402 + trips,
            ignitionCycles: 977 + trips,
            ratios: zip(InUsePerformance.monitors(.spark), counts).map { monitor, count in
                .init(monitor: monitor, completions: count.0, conditions: count.1 == 0 ? 0 : count.1 + trips)
            }
        )
    }
}
