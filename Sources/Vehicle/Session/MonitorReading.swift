// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import ELM327
package import OBD2

/// Readiness and the results of the monitors' tests, of every ECU at one time.
package struct MonitorReading: Hashable, Sendable {
    /// Each ECU's answer to PID 01: the monitors since the codes were cleared; empty if the answer of one is missing.
    package var sinceClear: [ECUAddress: MonitorStatus]
    /// Each ECU's answer to PID 41: the monitors in this driving cycle.
    package var inCycle: [ECUAddress: MonitorStatus]
    /// The test results of each ECU.
    package var tests: [ECUAddress: TestReading]
    package var time: MonotonicTime
}

/// The results of an ECU's tests: "none" and "could not read" differ.
package enum TestReading: Hashable, Sendable {
    /// The test results of the ECU.
    ///
    /// - `unread`: the number of results that the ECU announces and that could not be read.
    case read([TestResult], unread: Int)
    /// The ECU reports no tests.
    case notSupported
    /// The ECU's list of tests could not be read.
    case failed
}

/// The result of one test.
package enum TestResult: Hashable, Sendable {
    /// Service 06 on CAN.
    case monitor(MonitorTest)
    /// Service 06 on the older buses.
    case component(ComponentTest)
    /// Service 05, and the name of the sensor if it is known.
    case oxygenSensor(OxygenSensorTest, sensor: String?)
}

/// A question in a reading of test results.
package enum TestQuestion: Hashable, Sendable {
    /// The monitors in this driving cycle: PID 41.
    case inCycle
    /// The monitors or tests of service 06 after this one.
    case supportedTests(PID)
    /// The results of one monitor, or of one test on the older buses.
    case tests(PID)
    /// The oxygen sensors: PID 13 or 1D.
    case sensors(PID)
    /// The tests of service 05 for a sensor after this one.
    case supportedSensorTests(PID, sensor: UInt8)
    case sensorTest(PID, sensor: UInt8)

    var request: Request {
        switch self {
        case .inCycle: .currentData(0x41)
        case .sensors(let pid): .currentData(pid)
        case .supportedTests(let id), .tests(let id): .monitorTests(MonitorID(rawValue: id.rawValue))
        case .supportedSensorTests(let id, let sensor), .sensorTest(let id, let sensor):
            .oxygenSensorTest(id.rawValue, sensor: sensor)
        }
    }
}
