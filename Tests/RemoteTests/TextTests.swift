// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Remote
import Testing

@testable import Subscriber

@Suite("Durations as text")
struct TextTests {
    @Test(
        "A number with an optional unit is a duration",
        arguments: [("30", 30.0), ("30s", 30), ("5m", 300), ("2h", 7200), ("1d", 86_400), ("0.5", 0.5), ("1.5m", 90)]
    )
    func spans(text: String, seconds: Double) {
        #expect(TimeSpan(text)?.duration == .milliseconds(Int64(seconds * 1000)))
    }

    @Test("Other texts are no duration", arguments: ["", "s", "-1", "1e9", "5 m", "5mm", "nan", "inf", "99999d", "."])
    func noSpans(text: String) {
        #expect(TimeSpan(text) == nil)
    }

    @Test("A duration is written in its largest unit", arguments: ["30s", "5m", "2h", "1d", "90s", "61m"])
    func units(text: String) {
        #expect(TimeSpan(text)?.description == text)
    }

    @Test(
        "A number has the decimal places of its step, and four digits in all",
        arguments: [
            (0.955, 0.0000305, "0.955"), (62, 1, "62"), (4250.25, 0.25, "4250"), (812.25, 0.25, "812"),
            (28.235, 0.392, "28.2"),
            (14.2, 0.001, "14.20"), (-2.34375, 0.78125, "-2.3"), (-0.04, 1, "0"), (0.85, 0.05, "0.85"),
            (-66.325, nil, "-66.33"),
            (12, nil, "12"), (64.5, nil, "64.5"), (1e12, 1, "1000000000000"), (0.00001, nil, "0"),
        ] as [(Double, Double?, String)]
    )
    func places(number: Double, step: Double?, expected: String) {
        let text = FixedPoint.text(number, places: FixedPoint.places(of: number, step: step))
        #expect(text == expected)
    }
}
