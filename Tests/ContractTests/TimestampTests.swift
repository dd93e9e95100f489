// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import FoundationEssentials
import TestSupport
import Testing

@Suite("A moment in UTC")
struct TimestampTests {
    /// The years 1600 to 9999; calendars differ before them.
    private static let range: ClosedRange<Int64> = -11_676_096_000_000...253_402_300_799_999

    @Test("Ten thousand random moments agree with FoundationEssentials, in any time zone")
    func foundationAgrees() throws {
        var numbers = SeededNumbers(1)
        for _ in 0..<10_000 {
            let moment = Timestamp(milliseconds: Int64.random(in: Self.range, using: &numbers))
            let milliseconds = (moment.milliseconds % 1000 + 1000) % 1000
            let date = Date(timeIntervalSince1970: Double((moment.milliseconds - milliseconds) / 1000))
            let fraction = String(String(1000 + milliseconds).dropFirst())
            #expect(moment.description == date.ISO8601Format().dropLast() + ".\(fraction)Z")
            #expect(Timestamp(moment.description) == moment)

            let minutes = Int.random(in: -14 * 60...14 * 60, using: &numbers)
            guard let zone = TimeZone(secondsFromGMT: minutes * 60) else { continue }
            let style = Date.ISO8601FormatStyle(timeZoneSeparator: .colon, timeZone: zone)
            let local = date.formatted(style)
            let read = try #require(Timestamp(local), "\(local)")
            #expect(read.milliseconds == moment.milliseconds - milliseconds, "\(local)")
        }
    }

    @Test(
        "29 February exists in leap years only",
        arguments: [
            ("2024-02-29", true), ("2023-02-29", false), ("2000-02-29", true), ("1900-02-29", false),
            ("2100-02-29", false), ("2400-02-29", true), ("2026-04-31", false), ("2026-12-31", true),
            ("2026-02-30", false), ("2026-00-10", false), ("2026-13-10", false), ("2026-01-00", false),
            ("0000-02-29", true),
        ]
    )
    func leapYears(day: String, exists: Bool) {
        #expect((Timestamp("\(day)T00:00:00Z") != nil) == exists)
    }

    @Test(
        "Offsets, fractions and lower case are read by RFC 3339",
        arguments: [
            ("2026-11-21T10:00:00.120Z", "2026-11-21T10:00:00.120Z"),
            ("2026-11-21t10:00:00z", "2026-11-21T10:00:00.000Z"),
            ("2026-11-21T12:30:00+02:30", "2026-11-21T10:00:00.000Z"),
            ("2026-11-20T23:00:00-11:00", "2026-11-21T10:00:00.000Z"),
            ("2026-11-21T10:00:00-00:00", "2026-11-21T10:00:00.000Z"),
            ("2026-11-21T10:00:00.1Z", "2026-11-21T10:00:00.100Z"),
            ("2026-11-21T10:00:00.1239999999999999999999999999Z", "2026-11-21T10:00:00.123Z"),
            ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
            // Years beyond four digits are clamped.
            ("9999-12-31T23:59:59-01:00", "9999-12-31T23:59:59.999Z"),
            ("0000-01-01T00:00:00+01:00", "0000-01-01T00:00:00.000Z"),
        ]
    )
    func offsets(text: String, moment: String) throws {
        #expect(try #require(Timestamp(text)).description == moment)
    }

    @Test(
        "A text that is not a time of RFC 3339 is refused",
        arguments: [
            "", "2026", "2026-11-21", "2026-11-21T10:00:00", "2026-11-21 10:00:00Z", "2026-11-21T10:00Z",
            "2026-11-21T24:00:00Z", "2026-11-21T10:60:00Z", "2026-11-21T10:00:60Z", "2026-11-21T10:00:00.Z",
            "2026-11-21T10:00:00,5Z", "2026-11-21T10:00:00+0200", "2026-11-21T10:00:00+24:00",
            "2026-11-21T10:00:00+02:60", "2026-11-21T10:00:00+2:00", "2026-11-21T10:00:00Z ", " 2026-11-21T10:00:00Z",
            "26-11-21T10:00:00Z", "-026-11-21T10:00:00Z", "+2026-11-21T10:00:00Z", "2026-1-21T10:00:00Z",
            "２０２６-11-21T10:00:00Z", "2026-11-21T10:00:00.١Z", "2026-11-21T10:00:00Z\u{301}", "2026-11-21T10:00:00ZZ",
            "2026\u{2013}11-21T10:00:00Z", "2026-11-21T10:00:00\u{0}Z", "2026-11-21T+1:00:00Z",
        ]
    )
    func refused(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("Adding any duration stays within the years of four digits")
    func arithmetic() {
        let now = Timestamp(milliseconds: 1_795_255_200_000)
        #expect((now + .milliseconds(1)) - now == .milliseconds(1))
        #expect((now + .seconds(-86_400)).description == "2026-11-20T10:00:00.000Z")
        #expect(now + .seconds(Int64.max) > now + .seconds(30_000_000_000))
        #expect((Timestamp(milliseconds: .max) + .seconds(Int64.max)).description == "9999-12-31T23:59:59.999Z")
        #expect((Timestamp(milliseconds: .min) + .seconds(Int64.min)).description == "0000-01-01T00:00:00.000Z")
        #expect(Timestamp(milliseconds: .max) > now && now > Timestamp(milliseconds: .min))
    }

    @Test("Random bytes never trap")
    func randomTexts() {
        var numbers = SeededNumbers(2)
        let template = Array("2026-11-21T10:00:00.120+02:00".utf8)
        for _ in 0..<20_000 {
            var bytes = template
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                bytes[Int.random(in: bytes.indices, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
            }
            guard let read = Timestamp(String(decoding: bytes, as: UTF8.self)) else { continue }
            #expect(Timestamp(read.description) == read)
        }
    }
}
