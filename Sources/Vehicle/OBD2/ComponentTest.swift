// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The result of a monitor's test as service 06 has it on the buses before CAN (SAE J1979, service 06).
///
/// What the numbers mean is the manufacturer's affair.
package struct ComponentTest: Hashable, Sendable {
    /// The test's id.
    package let test: UInt8
    /// What was tested, 0 to 127.
    package let component: UInt8
    package let value: UInt16
    /// What ``value`` must not be beyond.
    package let limit: UInt16
    /// Whether the limit is the least that passes, not the most.
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

    /// How the test ended; two zeros say nothing that anybody could believe.
    package var verdict: MonitorTest.Verdict {
        if self.value == 0 && self.limit == 0 { return .notRun }
        return (self.isMinimum ? self.value >= self.limit : self.value <= self.limit) ? .passed : .failed
    }

    // MARK: - On the wire

    /// The tests in an ECU's reply, a message each, in its order.
    ///
    /// - Throws: `.wrongLength`, `.ambiguous` if two messages tell different things of one component's limit.
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

    /// The bitmap of the tests that an ECU has, out of its reply to test 00.
    ///
    /// - Throws: `.wrongLength`, `.wrongEcho` if FF does not stand before it, `.tooManyMessages`.
    package static func bitmap(_ reply: Reply) throws(DecodingError) -> [UInt8] {
        let data = try reply.only
        guard data.count == 5 else { throw .wrongLength(expected: 5...5, actual: data.count) }
        guard data[0] == 0xFF else { throw .wrongEcho(expected: [0xFF], actual: [data[0]]) }
        return Array(data.dropFirst())
    }

    /// The payloads with which an ECU tells these results.
    package static func encode(_ tests: [ComponentTest]) -> [[UInt8]] {
        tests.map { test in
            [Service.monitorTests.positiveResponse, test.test, test.component | (test.isMinimum ? 0x80 : 0)]
                + [test.value, test.limit].flatMap {
                    [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)]
                }
        }
    }
}
