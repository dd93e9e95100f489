// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import OBD2

/// The answers to requests for the results of an ECU's own tests.
extension MonitorResults {
    /// Returns the answer to a request of service 05 for a test of a sensor.
    func oxygenSensorAnswer(_ test: UInt8, _ sensor: UInt8) -> ServiceAnswer {
        if PID(rawValue: test).isBitmap {
            let tests = SupportedPIDs(self.oxygenSensorTests(sensor: sensor).map(PID.init(rawValue:)))
            guard !tests.pids.isEmpty, let bitmap = tests.bitmap(PID(rawValue: test)) else { return .outOfRange }
            return .messages([[Service.oxygenSensorTests.positiveResponse, test, sensor] + bitmap])
        }
        return self.oxygenSensorTest(test, sensor: sensor).map { .messages([$0.payload]) } ?? .outOfRange
    }

    /// Returns the answer to a request of service 06 on CAN for the tests of a monitor.
    func testAnswer(_ monitor: UInt8) -> ServiceAnswer {
        let all = self.tests
        guard !all.isEmpty else { return .notSupported }
        if PID(rawValue: monitor).isBitmap {
            return Self.bitmap(of: all.map(\.monitor.rawValue), monitor, head: [])
        }
        let tests = all.filter { $0.monitor.rawValue == monitor }
        return tests.isEmpty ? .outOfRange : .messages([MonitorTest.encode(tests)])
    }

    /// Returns the answer to a request of service 06 on the older buses for a test.
    func componentAnswer(_ test: UInt8) -> ServiceAnswer {
        let all = self.componentTests
        guard !all.isEmpty else { return .notSupported }
        if PID(rawValue: test).isBitmap { return Self.bitmap(of: all.map(\.test), test, head: [0xFF]) }
        let tests = all.filter { $0.test == test }
        return tests.isEmpty ? .outOfRange : .messages(ComponentTest.encode(tests))
    }

    private static func bitmap(of ids: [UInt8], _ base: UInt8, head: [UInt8]) -> ServiceAnswer {
        let supported = SupportedPIDs(ids.map(PID.init(rawValue:)))
        let base = PID(rawValue: base)
        guard base == 0x00 || supported.contains(base), let bitmap = supported.bitmap(base) else {
            return .outOfRange
        }
        return .messages([[Service.monitorTests.positiveResponse, base.rawValue] + head + bitmap])
    }
}
