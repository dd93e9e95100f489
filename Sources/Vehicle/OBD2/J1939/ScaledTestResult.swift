// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The result of one test of an on-board monitor: DM30, scaled test results (SAE J1939-73, 5.7.30).
package struct ScaledTestResult: Hashable, Sendable {
    /// The id of the test, or 247 if the request named the parameter and the failure mode instead.
    package let test: UInt8
    package let spn: SPN
    package let fmi: FMI
    /// The number of the scale and the unit in SAE J1939's list of SLOTs; 0 for none.
    package let slot: UInt16
    /// The three numbers without their scale; FFFF is no limit.
    package let words: MonitorTest.Words

    /// The outcome of a test.
    package enum Verdict: String, Hashable, Sendable, CaseIterable {
        case passed, failed
        /// The test has not run to its end since the codes were cleared.
        case notRun = "not_run"
        /// The ECU cannot perform the test now.
        case impossible
        /// The value is one of the reserved numbers.
        case unknown
    }

    /// The outcome of the test.
    ///
    /// No scale is negative, so the numbers compare as they are.
    package var verdict: Verdict {
        switch self.words.value {
        case 0...Self.highest:
            let isAbove = self.minimum.map { self.words.value >= $0 } ?? true
            let isBelow = self.maximum.map { self.words.value <= $0 } ?? true
            return isAbove && isBelow ? .passed : .failed
        case 0xFB00: return .notRun
        case 0xFB01: return .impossible
        default: return .unknown
        }
    }

    /// The lower limit without its scale; nil if there is none.
    package var minimum: UInt16? { self.words.minimum <= Self.highest ? self.words.minimum : nil }
    /// The upper limit without its scale; nil if there is none.
    package var maximum: UInt16? { self.words.maximum <= Self.highest ? self.words.maximum : nil }

    /// The highest number that is a value.
    private static let highest: UInt16 = 0xFAFF
    private static let size = 12

    /// Returns the results in the data of a message, in its order.
    ///
    /// - Throws: `.wrongLength` if the last result is not complete.
    package static func decode(_ data: [UInt8]) throws(DecodingError) -> [ScaledTestResult] {
        guard !data.isEmpty, data.count.isMultiple(of: Self.size) else {
            let whole = max(1, data.count / Self.size) * Self.size
            throw .wrongLength(expected: whole...whole, actual: data.count)
        }
        return stride(from: 0, to: data.count, by: Self.size).map { start in
            func word(_ index: Int) -> UInt16 { GroupCount.word(data[start + index..<start + index + 2]) }
            return ScaledTestResult(
                test: data[start],
                spn: SPN(packed: data[start + 1...start + 3]),
                fmi: FMI(rawValue: data[start + 3]),
                slot: word(4),
                words: MonitorTest.Words(value: word(6), minimum: word(10), maximum: word(8))
            )
        }
    }
}

extension ScaledTestResult {
    /// A scale and a unit of SAE J1939's list.
    package struct Slot: Hashable, Sendable {
        let factor: Double
        let offset: Double
        /// The unit's symbol; nil for numbers without a unit.
        package let unit: String?

        /// Returns a number in the unit.
        package func scaled(_ word: UInt16) -> Double { Double(word) * self.factor + self.offset }
    }

    /// The scale and the unit; nil if the agent does not know this SLOT, so that the numbers stay as they are.
    package var scale: Slot? { Self.slots[self.slot] }

    /// The SLOTs whose scale follows from published results of trucks.
    private static let slots: [UInt16: Slot] = [
        18: Slot(factor: 0.05, offset: 0, unit: "kg/h"),
        68: Slot(factor: 0.03125, offset: -273, unit: "°C"),
        206: Slot(factor: 0.0000512, offset: 0, unit: "s"),
        208: Slot(factor: 1, offset: 0, unit: "count"),
        287: Slot(factor: 0.08, offset: 0, unit: "g/L"),
        386: Slot(factor: 10, offset: -40_000, unit: "kPa"),
        394: Slot(factor: 0.01, offset: -300, unit: nil),
    ]
}
