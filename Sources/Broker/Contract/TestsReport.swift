// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// What the monitors' tests came to: services 05 and 06.
package struct TestsReport: Encodable, Hashable, Sendable {
    package var time: Timestamp
    /// How much each ECU told.
    package var ecus: [String: State]
    package var results: [Result]

    package enum State: String, CaseIterable, Encodable, Hashable, Sendable {
        case read
        /// Some results are announced and could not be read.
        case incomplete
        /// Nobody knows what tests it has.
        case unread
        case notSupported = "not_supported"
    }

    package init(time: Timestamp, ecus: [String: State], results: [Result]) {
        self.time = time
        self.ecus = ecus
        self.results = results
    }

    /// The result of one test of one ECU.
    package struct Result: Encodable, Hashable, Sendable {
        package var ecu: String
        /// `05` or `06`.
        package var service: String
        /// The monitor's id, on CAN.
        package var monitor: String?
        /// The test's id.
        package var test: String
        /// What is tested: `catalyst bank 1`.
        package var subject: String?
        /// What is measured: `rich to lean switch time`; left out for a manufacturer's test.
        package var quantity: String?
        /// The component that the manufacturer numbers so, on the older buses.
        package var component: Int?
        package var value: Double?
        package var minimum: Double?
        package var maximum: Double?
        package var unit: String?
        /// How it ended; left out for a constant, which is no test.
        package var verdict: String?

        /// A result of service 06 on CAN.
        ///
        /// Without numbers where the test has not run, or nobody knows their scale.
        package init(_ test: MonitorTest, ecu: String) {
            self.ecu = ecu
            self.service = "06"
            self.monitor = test.monitor.description
            self.test = test.testID
            self.subject = test.monitor.name
            self.quantity = test.quantity
            self.verdict = test.verdict.rawValue
            guard test.verdict != .notRun, let values = test.values else { return }
            self.value = ShownValue.rounded(values.value)
            self.minimum = ShownValue.rounded(values.minimum)
            self.maximum = ShownValue.rounded(values.maximum)
            self.unit = values.unit
        }

        /// A result of service 06 on the older buses: numbers that only the manufacturer understands.
        package init(_ test: ComponentTest, ecu: String) {
            self.ecu = ecu
            self.service = "06"
            self.test = test.testID
            self.component = Int(test.component)
            self.verdict = test.verdict.rawValue
            guard test.verdict != .notRun else { return }
            self.value = Double(test.value)
            if test.isMinimum { self.minimum = Double(test.limit) } else { self.maximum = Double(test.limit) }
        }

        /// A result of service 05.
        ///
        /// - Parameter sensor: the sensor's name.
        package init(_ test: OxygenSensorTest, sensor: String?, ecu: String) {
            self.ecu = ecu
            self.service = "05"
            self.test = test.testID
            self.subject = sensor.map { "oxygen sensor \($0)" }
            self.quantity = test.quantity
            self.verdict = test.verdict?.rawValue
            guard test.verdict != .notRun, let scale = OxygenSensorTest.scale(of: test.test) else { return }
            func scaled(_ raw: UInt8) -> Double { ShownValue.rounded(Double(raw) * scale.step) }
            self.unit = scale.unit.symbol
            switch test.raw {
            case .constant(let value):
                self.value = scaled(value)
            case .measured(let value, let minimum, let maximum):
                (self.value, self.minimum, self.maximum) = (scaled(value), scaled(minimum), scaled(maximum))
            }
        }
    }
}
