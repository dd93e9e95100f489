// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The result of a monitor's test in service 06 on the buses before CAN (SAE J1979, service 06).
///
/// Only the manufacturer knows the meaning of the numbers.
package struct ComponentTest: Hashable, Sendable {
    /// The test's id.
    package let test: UInt8
    /// The manufacturer's number of the tested component, 0 to 127.
    package let component: UInt8
    package let value: UInt16
    /// The limit for ``value``, which itself passes.
    package let limit: UInt16
    /// Whether ``limit`` is the least value that passes; else it is the greatest.
    package let isMinimum: Bool

    package init(test: UInt8, component: UInt8, value: UInt16, limit: UInt16, isMinimum: Bool) {
        self.test = test
        self.component = component & 0x7F
        self.value = value
        self.limit = limit
        self.isMinimum = isMinimum
    }

    /// The test's id in hexadecimal digits.
    package var testID: String { self.test.hexadecimal }

    /// The outcome of the test; a value and a limit that are both zero count as not run.
    package var verdict: MonitorTest.Verdict {
        if self.value == 0 && self.limit == 0 { return .notRun }
        return (self.isMinimum ? self.value >= self.limit : self.value <= self.limit) ? .passed : .failed
    }

    // MARK: - On the wire

    /// Returns the tests in an ECU's reply, one for each message, in the order of the messages.
    ///
    /// - Throws: `.wrongLength`, `.ambiguous` if two messages differ about the same limit of one component.
    package static func decode(_ reply: Reply) throws(DecodingError) -> [ComponentTest] {
        var tests: [ComponentTest] = []
        for part in reply.parts {
            guard part.count == 5 else { throw .wrongLength(expected: 5...5, actual: part.count) }
            let data = Array(part)
            let test = ComponentTest(
                test: reply.request.data.first ?? 0,
                component: data[0],
                value: UInt16(data[1]) << 8 | UInt16(data[2]),
                limit: UInt16(data[3]) << 8 | UInt16(data[4]),
                isMinimum: data[0] & 0x80 != 0
            )
            let same = tests.first { $0.component == test.component && $0.isMinimum == test.isMinimum }
            guard same == nil || same == test else { throw .ambiguous }
            if same == nil { tests.append(test) }
        }
        return tests
    }

    /// Returns the bitmap of the tests that an ECU has, from its reply to test 00.
    ///
    /// - Throws: `.wrongLength`, `.wrongEcho` if the bitmap does not follow an FF, `.tooManyMessages`.
    package static func bitmap(_ reply: Reply) throws(DecodingError) -> [UInt8] {
        let data = try reply.singleMessageData
        guard data.count == 5 else { throw .wrongLength(expected: 5...5, actual: data.count) }
        guard data[0] == 0xFF else { throw .wrongEcho(expected: [0xFF], actual: [data[0]]) }
        return Array(data.dropFirst())
    }

    /// Returns the payloads with which an ECU reports these results.
    package static func encode(_ tests: [ComponentTest]) -> [[UInt8]] {
        tests.map { test in
            [Service.monitorTests.positiveResponse, test.test, test.component | (test.isMinimum ? 0x80 : 0)]
                + [test.value, test.limit].flatMap {
                    [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)]
                }
        }
    }
}
