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
}
