// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Drive
import Testing

@Suite("The ring of a capture")
struct CaptureRingTests {
    static let speed = CaptureSource("engine_speed", ecu: "7E8", scale: 0.25)

    private static func time(_ milliseconds: Int64) -> MonotonicTime { .zero + .milliseconds(milliseconds) }

    private static func filled(
        _ ring: CaptureRing,
        _ readings: [(Int64, Int64)],
        _ source: CaptureSource = Self.speed
    ) -> CaptureRing {
        var ring = ring
        for (milliseconds, steps) in readings {
            ring.append(CaptureReading(source, steps: steps, at: Self.time(milliseconds)))
        }
        return ring
    }

    @Test("The ring returns each reading of the last minute as it was read, counted from the moment")
    func wholeMinute() {
        let readings: [(Int64, Int64)] = (0..<3000).map { (index: Int64) in (index * 50, index * index % 977 - 400) }
        let ring = Self.filled(CaptureRing(), readings)
        let moment = readings[2999].0
        let series = ring.series(in: Self.time(moment - 60_000)...Self.time(moment), around: Self.time(moment))
        let expected = readings.filter { $0.0 >= moment - 60_000 }
        #expect(series.count == 1)
        #expect(series.first?.milliseconds == expected.map { $0.0 - moment })
        #expect(series.first?.steps == expected.map(\.1))
    }

    @Test(
        "Extreme values and times survive the packing",
        arguments: [0, 1, -1, .max, .min, 63, 64, -64, -65] as [Int64]
    )
    func extremes(steps: Int64) {
        let ring = Self.filled(CaptureRing(), [(1, 5), (2, steps), (2, 7)])
        let series = ring.series(in: .zero...Self.time(10), around: .zero)
        #expect(series.first?.steps == [5, steps, 7])
        #expect(series.first?.milliseconds == [1, 2, 2])
    }

    @Test("A reading older than the last one of its series counts as read with that")
    func olderReading() {
        let ring = Self.filled(CaptureRing(), [(100, 1), (90, 2)])
        #expect(ring.series(in: .zero...Self.time(100), around: .zero).first?.milliseconds == [100, 100])
    }

    @Test("A reading takes four bytes at most as a rule")
    func packing() {
        let readings: [(Int64, Int64)] = (0..<1000).map { (index: Int64) in (index * 50, 3000 + index % 20) }
        let ring = Self.filled(CaptureRing(), readings)
        #expect(ring.count == 1000)
        #expect(ring.size < 4 * 1000)
    }

    @Test("Readings older than a minute go, and with the last of them the series")
    func expiry() {
        var ring = Self.filled(CaptureRing(), [(0, 1), (1000, 2)])
        ring = Self.filled(ring, [(62_000, 3)], CaptureSource("vehicle_speed", ecu: "7E8"))
        #expect(ring.count == 1)
        #expect(ring.series(in: .zero...Self.time(70_000), around: .zero).map(\.source.name) == ["vehicle_speed"])
    }

    @Test("Pinned readings stay although they are older than a minute")
    func pinned() {
        var ring = Self.filled(CaptureRing(), [(0, 1)])
        ring.pin(since: .zero)
        ring = Self.filled(ring, [(80_000, 2)])
        #expect(ring.count == 2)
        ring.pin(since: nil)
        ring = Self.filled(ring, [(90_000, 3)])
        #expect(ring.count == 2)
    }

    @Test("Each bound holds whatever is read, and the newest readings stay")
    func bounds() {
        let limits = CaptureRing.Limits(span: .seconds(60), readings: 200, series: 3, bytes: 2000)
        var ring = CaptureRing(limits)
        for index in 0..<20_000 {
            let source = CaptureSource("value\(index % 5)", ecu: "7E8")
            ring.append(
                CaptureReading(source, steps: Int64(index) &* 0x9E37_79B9_7F4A, at: Self.time(Int64(index) * 7))
            )
            #expect(ring.count <= limits.readings && ring.size <= limits.bytes)
        }
        let series = ring.series(in: .zero...Self.time(.max / 2_000_000), around: .zero)
        #expect(series.count <= limits.series)
        #expect(series.compactMap(\.milliseconds.last).max().map { $0 >= 19_990 * 7 } == true)
    }

    @Test("Series of two ECUs and of two names are apart, ordered by name")
    func sources() {
        var ring = CaptureRing()
        for (name, ecu, isPrimary) in [("b", "7E8", true), ("a", "7E9", false), ("a", "7E8", true)] {
            ring.append(CaptureReading(CaptureSource(name, ecu: ecu, isPrimary: isPrimary), steps: 1, at: .zero))
        }
        #expect(ring.series(in: .zero...Self.time(1), around: .zero).map(\.source.series) == ["a", "a/7E9", "b"])
    }

    @Test("A cleared ring is empty")
    func clear() {
        var ring = Self.filled(CaptureRing(), [(0, 1), (1, 2)])
        ring.clear()
        #expect(ring.count == 0 && ring.size == 0)
    }
}

@Suite("The size of a capture")
struct CaptureSizeTests {
    private static func series(_ name: String, _ count: Int) -> CaptureSeries {
        CaptureSeries(
            source: CaptureSource(name, ecu: "7E8"),
            milliseconds: (0..<count).map { Int64($0 - count / 2) * 20 },
            steps: (0..<count).map { Int64($0 % 300) }
        )
    }

    @Test("A capture that fits is whole")
    func whole() {
        let series = [Self.series("a", 500), Self.series("b", 3)]
        #expect(series.fitted(to: 60_000) == series)
    }

    @Test("A capture that is too large is thinned evenly, the longest series first")
    func thinned() throws {
        let series = [Self.series("a", 20_000), Self.series("b", 5000), Self.series("c", 60)]
        let fitted = series.fitted(to: 20_000)
        #expect(fitted[2] == series[2])
        #expect(fitted[0].step > fitted[1].step && fitted[1].step > 1)
        let times = fitted[0].milliseconds
        #expect(Set(zip(times, times.dropFirst()).map { $1 - $0 }) == [Int64(fitted[0].step) * 20])
        // The last reading before the moment stays.
        #expect(times.contains(0))
        #expect(fitted.reduce(0) { $0 + $1.milliseconds.count } > 1000)
    }

    @Test("Any number of series fits into a record")
    func manySeries() {
        let name = String(repeating: "n", count: 60)
        let series = (100..<420).map { Self.series("\(name)_\($0)", 100) }
        let fitted = series.fitted(to: 60_000)
        #expect(fitted.count == 320)
        #expect(fitted.allSatisfy { !$0.steps.isEmpty })
    }
}
