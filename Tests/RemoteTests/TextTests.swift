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
        "A number of unknown resolution has its own decimal places, and four digits in all",
        arguments: [
            (0.955, "0.955"), (62, "62"), (812.25, "812"), (28.236, "28.24"), (-66.325, "-66.33"), (64.5, "64.5"),
            (1e12, "1000000000000"), (0.00001, "0"), (-0.00001, "0"),
        ] as [(Double, String)]
    )
    func places(number: Double, expected: String) {
        #expect(FixedPoint.text(number, places: FixedPoint.places(of: number)) == expected)
    }

    @Test("A number keeps the decimal places that it needed before")
    func samePlaces() {
        #expect(FixedPoint.places(of: 64, previous: FixedPoint.places(of: 64.5)) == 1)
        #expect(FixedPoint.text(64, places: 1) == "64.0" && FixedPoint.text(-0.04, places: 0) == "0")
    }
}
