// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The result of an oxygen sensor's test: service 05, on the buses before CAN (SAE J1979, service 05).
package struct OxygenSensorTest: Hashable, Sendable {
    /// The test's id: standardised up to 0A.
    package let test: UInt8
    /// Which sensor: one bit, in the order of PID 13, or of PID 1D where the vehicle has that.
    package let sensor: UInt8
    /// The numbers as they are sent: the value, and its limits where the test has some.
    package let raw: Raw

    /// The bytes of a result.
    package enum Raw: Hashable, Sendable {
        case constant(UInt8)
        case measured(value: UInt8, minimum: UInt8, maximum: UInt8)
    }

    package init(test: UInt8, sensor: UInt8, raw: Raw) {
        self.test = test
        self.sensor = sensor
        self.raw = raw
    }

    /// What a step of the raw numbers is, and its unit; nil for the manufacturer's tests.
    package static func scale(of test: UInt8) -> (step: Double, unit: Unit)? {
        switch test {
        case 0x01...0x04, 0x07, 0x08: (0.005, .volt)
        case 0x05, 0x06: (0.004, .second)
        case 0x09, 0x0A: (0.04, .second)
        default: nil
        }
    }

    /// The test's id in hexadecimal digits.
    package var testID: String { self.test.hexadecimal }

    /// What it measures, in words; nil where that is the manufacturer's affair.
    package var quantity: String? { TestID.name(self.test) }

    /// How the test ended; three zeros say that it has not run since the codes were cleared.
    ///
    /// A constant is no test: nil.
    package var verdict: MonitorTest.Verdict? {
        guard case .measured(let value, let minimum, let maximum) = self.raw else { return nil }
        if (value, minimum, maximum) == (0, 0, 0) { return .notRun }
        return minimum <= value && value <= maximum ? .passed : .failed
    }

    /// The sensor's name: `B1S1`; nil where not exactly one bit is set.
    ///
    /// - Parameter hasFourBanks: whether the vehicle has PID 1D, which counts two sensors a bank.
    package func sensorName(hasFourBanks: Bool) -> String? {
        guard self.sensor.nonzeroBitCount == 1 else { return nil }
        let index = self.sensor.trailingZeroBitCount
        let sensorsPerBank = hasFourBanks ? 2 : 4
        return "B\(index / sensorsPerBank + 1)S\(index % sensorsPerBank + 1)"
    }

    // MARK: - On the wire

    /// The result in an ECU's reply.
    ///
    /// - Throws: `.wrongLength` if it has not one byte (the constants 01 to 04) or three (05 to 0A; the manufacturer's
    ///   tests have either), `.tooManyMessages`.
    package static func decode(_ reply: Reply) throws(DecodingError) -> OxygenSensorTest {
        guard case let echo = reply.request.data, echo.count == 2 else {
            throw .wrongLength(expected: 2...2, actual: reply.request.data.count)
        }
        let data = try reply.only
        let lengths: ClosedRange<Int> =
            switch echo[0] {
            case 0x01...0x04: 1...1
            case 0x05...0x0A: 3...3
            default: 1...3
            }
        guard lengths.contains(data.count), data.count != 2 else {
            throw .wrongLength(expected: lengths, actual: data.count)
        }
        return OxygenSensorTest(
            test: echo[0],
            sensor: echo[1],
            raw: data.count == 1
                ? .constant(data[0]) : .measured(value: data[0], minimum: data[1], maximum: data[2])
        )
    }

    /// The payload with which an ECU tells this result.
    package var payload: [UInt8] {
        let data: [UInt8] =
            switch self.raw {
            case .constant(let value): [value]
            case .measured(let value, let minimum, let maximum): [value, minimum, maximum]
            }
        return [Service.oxygenSensorTests.positiveResponse, self.test, self.sensor] + data
    }
}
