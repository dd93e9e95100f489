// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import ELM327
package import OBD2

/// Readiness and the results of the monitors' tests, of every ECU at one time.
package struct MonitorReading: Hashable, Sendable {
    /// Each ECU's answer to PID 01: since the codes were cleared.
    package var sinceClear: [ECUAddress: MonitorStatus]
    /// Each ECU's answer to PID 41: in this driving cycle.
    package var inCycle: [ECUAddress: MonitorStatus]
    /// What each ECU's tests came to.
    package var tests: [ECUAddress: TestReading]
    package var time: MonotonicTime
}

/// The results of an ECU's tests: "none" and "could not read" differ.
package enum TestReading: Hashable, Sendable {
    /// - `unread`: how many results the ECU announces and could not be read.
    case read([TestResult], unread: Int)
    /// The ECU has no test to tell of.
    case notSupported
    /// What tests it has could not be read.
    case failed
}

/// The result of one test.
package enum TestResult: Hashable, Sendable {
    /// Service 06 on CAN.
    case monitor(MonitorTest)
    /// Service 06 on the older buses.
    case component(ComponentTest)
    /// Service 05, and the sensor's name if that is known.
    case oxygenSensor(OxygenSensorTest, sensor: String?)
}

/// What is asked for the results of tests.
package enum TestQuestion: Hashable, Sendable {
    /// PID 41.
    case inCycle
    /// Which monitors or tests service 06 has, after this one.
    case supportedTests(PID)
    /// The results of one monitor, or of one test on the older buses.
    case tests(PID)
    /// Which oxygen sensors there are: PID 13 or 1D.
    case sensors(PID)
    /// Which tests service 05 has for a sensor, after this one.
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
