// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// The results of the monitors' tests: services 05 and 06.
package struct TestsReport: Encodable, Hashable, Sendable {
    package var time: Timestamp
    /// The completeness of each ECU's results.
    package var ecus: [String: State]
    package var results: [Result]

    package enum State: String, CaseIterable, Encodable, Hashable, Sendable {
        case read
        /// The ECU announced some results that could not be read.
        case incomplete
        /// The ECU's list of tests could not be read.
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
        /// The tested component: `catalyst bank 1`.
        package var subject: String?
        /// The measured quantity: `rich to lean switch time`; left out for a manufacturer's test.
        package var quantity: String?
        /// The manufacturer's number of the component, on the older buses only.
        package var component: Int?
        package var value: Double?
        package var minimum: Double?
        package var maximum: Double?
        package var unit: String?
        /// The outcome of the test; left out for a constant, which is not a test.
        package var verdict: String?

        /// Reports a result of service 06 on CAN.
        ///
        /// The result has no numbers if the test has not run or the scale is unknown.
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

        /// Reports a result of service 06 on the older buses, whose scale only the manufacturer knows.
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

        /// Reports a result of service 05.
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
