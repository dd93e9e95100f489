// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The result of one test of an on-board monitor in service 06 on CAN (SAE J1979, service 06).
package struct MonitorTest: Hashable, Sendable {
    /// The monitor that ran the test.
    package let monitor: MonitorID
    /// The test's id: standardized up to 7F, the manufacturer's from 80 on.
    package let test: UInt8
    /// The unit-and-scaling id.
    package let scaling: UInt8
    /// The three numbers without their scale.
    package let words: Words

    /// The test's id in hexadecimal digits.
    package var testID: String { self.test.hexadecimal }

    /// The measured quantity, as a phrase; nil for reserved and manufacturers' tests.
    package var quantity: String? { TestID.name(self.test) }

    /// The three 16-bit numbers of a test, without their scale.
    package struct Words: Hashable, Sendable {
        package var value: UInt16
        package var minimum: UInt16
        package var maximum: UInt16

        package init(value: UInt16, minimum: UInt16, maximum: UInt16) {
            self.value = value
            self.minimum = minimum
            self.maximum = maximum
        }
    }

    /// The outcome of a test.
    package enum Verdict: String, Hashable, Sendable, CaseIterable {
        case passed, failed
        /// The test has not run since the codes were cleared.
        case notRun = "not_run"
        /// The unit-and-scaling id is unknown, so the numbers cannot be compared.
        case unknown
    }

    package init(monitor: MonitorID, test: UInt8, scaling: UInt8, words: Words) {
        self.monitor = monitor
        self.test = test
        self.scaling = scaling
        self.words = words
    }

    /// The three numbers of a test, in their unit.
    package struct Values: Hashable, Sendable {
        package let value: Double
        package let minimum: Double
        package let maximum: Double
        /// The unit's symbol; nil for numbers without a unit.
        package let unit: String?
    }

    /// The numbers in their unit; nil if the unit-and-scaling id is unknown.
    package var values: Values? {
        guard let scaling = UnitAndScaling.withID(self.scaling) else { return nil }
        func scaled(_ word: UInt16) -> Double { scaling.scaled(UnitAndScaling.raw(word, id: self.scaling)) }
        return Values(
            value: scaled(self.words.value),
            minimum: scaled(self.words.minimum),
            maximum: scaled(self.words.maximum),
            unit: scaling.unit
        )
    }

    /// The outcome of the test; three zeros mean that it has not run since the codes were cleared.
    package var verdict: Verdict {
        if self.words == Words(value: 0, minimum: 0, maximum: 0) { return .notRun }
        guard let values = self.values else { return .unknown }
        return values.minimum <= values.value && values.value <= values.maximum ? .passed : .failed
    }

    // MARK: - On the wire

    /// The number of bytes in one result: monitor, test, unit and scaling, and three words.
    private static let size = 9

    /// Returns the tests in an ECU's reply, in the order of the reply.
    ///
    /// - Throws: `.wrongLength` if the last result is not complete, `.wrongEcho` if a result is another monitor's,
    ///   `.tooManyMessages`.
    package static func decode(_ reply: Reply) throws(DecodingError) -> [MonitorTest] {
        let bytes = Array(reply.request.echo) + (try reply.singleMessageData)
        guard bytes.count >= Self.size, bytes.count.isMultiple(of: Self.size) else {
            let whole = max(1, bytes.count / Self.size) * Self.size
            throw .wrongLength(expected: whole...whole, actual: bytes.count)
        }
        var tests: [MonitorTest] = []
        for start in stride(from: 0, to: bytes.count, by: Self.size) {
            let record = Array(bytes[start..<start + Self.size])
            guard record.prefix(1).elementsEqual(reply.request.echo) else {
                throw .wrongEcho(expected: reply.request.echo, actual: [record[0]])
            }
            func word(_ index: Int) -> UInt16 { UInt16(record[index]) << 8 | UInt16(record[index + 1]) }
            tests.append(
                MonitorTest(
                    monitor: MonitorID(rawValue: record[0]),
                    test: record[1],
                    scaling: record[2],
                    words: Words(value: word(3), minimum: word(5), maximum: word(7))
                )
            )
        }
        return tests
    }

    /// Returns the payload with which an ECU reports the results of one monitor.
    package static func encode(_ tests: [MonitorTest]) -> [UInt8] {
        [Service.monitorTests.positiveResponse] + tests.flatMap(\.bytes)
    }

    private var bytes: [UInt8] {
        [self.monitor.rawValue, self.test, self.scaling]
            + [self.words.value, self.words.minimum, self.words.maximum]
            .flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    }
}
