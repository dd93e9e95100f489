// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The result of an oxygen sensor's test in service 05 on the buses before CAN (SAE J1979, service 05).
package struct OxygenSensorTest: Hashable, Sendable {
    /// The test's id: standardized up to 0A.
    package let test: UInt8
    /// The bit of the sensor, in the order of PID 13, or of PID 1D if the vehicle has that.
    package let sensor: UInt8
    /// The numbers without their scale: the value, and the limits if the test has limits.
    package let raw: Raw

    /// The bytes of a result: a constant, or a measured value with its limits.
    package enum Raw: Hashable, Sendable {
        case constant(UInt8)
        case measured(value: UInt8, minimum: UInt8, maximum: UInt8)
    }

    package init(test: UInt8, sensor: UInt8, raw: Raw) {
        self.test = test
        self.sensor = sensor
        self.raw = raw
    }

    /// Returns the value of one step of the raw numbers, and its unit; nil for the manufacturer's tests.
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

    /// The measured quantity, as a phrase; nil for reserved and manufacturers' tests.
    package var quantity: String? { TestID.name(self.test) }

    /// The outcome of the test; nil for a constant, which is not a test.
    ///
    /// Three zeros mean that the test has not run since the codes were cleared.
    package var verdict: MonitorTest.Verdict? {
        guard case .measured(let value, let minimum, let maximum) = self.raw else { return nil }
        if (value, minimum, maximum) == (0, 0, 0) { return .notRun }
        return minimum <= value && value <= maximum ? .passed : .failed
    }

    /// Returns the sensor's name, such as `B1S1`; nil if not exactly one bit is set.
    ///
    /// - Parameter hasFourBanks: whether the vehicle has PID 1D, with two sensors to a bank instead of four.
    package func sensorName(hasFourBanks: Bool) -> String? {
        guard self.sensor.nonzeroBitCount == 1 else { return nil }
        let index = self.sensor.trailingZeroBitCount
        let sensorsPerBank = hasFourBanks ? 2 : 4
        return "B\(index / sensorsPerBank + 1)S\(index % sensorsPerBank + 1)"
    }

    // MARK: - On the wire

    /// Returns the result in an ECU's reply.
    ///
    /// - Throws: `.wrongLength`, `.tooManyMessages`. The constants 01 to 04 have one byte, the tests 05 to 0A have
    ///   three, and the manufacturer's tests have one or three.
    package static func decode(_ reply: Reply) throws(DecodingError) -> OxygenSensorTest {
        guard case let echo = reply.request.data, echo.count == 2 else {
            throw .wrongLength(expected: 2...2, actual: reply.request.data.count)
        }
        let data = try reply.singleMessageData
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

    /// The payload with which an ECU reports this result.
    package var payload: [UInt8] {
        let data: [UInt8] =
            switch self.raw {
            case .constant(let value): [value]
            case .measured(let value, let minimum, let maximum): [value, minimum, maximum]
            }
        return [Service.oxygenSensorTests.positiveResponse, self.test, self.sensor] + data
    }
}
