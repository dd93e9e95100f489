// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// Everything that was read in the last minute, at its full rate.
///
/// The ring is bounded in time, readings, series and bytes. Where a bound is reached, the oldest readings of all series
/// go first.
package struct CaptureRing: Sendable {
    /// The bounds of a ring.
    package struct Limits: Hashable, Sendable {
        /// The time for which a reading stays.
        package var span: Duration
        package var readings: Int
        package var series: Int
        /// The size of the packed readings and the names, in bytes.
        package var bytes: Int

        package init(
            span: Duration = .seconds(60),
            readings: Int = 65_536,
            series: Int = 320,
            bytes: Int = 256 << 10
        ) {
            self.span = span
            self.readings = readings
            self.series = series
            self.bytes = bytes
        }
    }

    /// The time between two removals of readings that are too old.
    private static let expiryInterval = Duration.seconds(1)

    package let limits: Limits
    private var columns: [CaptureSource: CaptureColumn] = [:]
    /// The earliest time whose readings stay although they are older than the span; nil without one.
    private var pinned: MonotonicTime?
    private var expiredAt = MonotonicTime.zero
    package private(set) var count = 0
    /// The size of the packed readings and the names, in bytes.
    package private(set) var size = 0

    package init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Takes over a reading; one of a series too many is left out.
    package mutating func append(_ reading: CaptureReading) {
        let point = CaptureColumn.Point(milliseconds: reading.time.sinceBoot.milliseconds, steps: reading.steps)
        // Taken out, so that nothing is copied.
        if var column = self.columns.removeValue(forKey: reading.source) {
            self.size -= column.size
            column.append(point)
            self.size += column.size
            self.columns[reading.source] = column
        } else {
            guard self.columns.count < self.limits.series else { return }
            self.columns[reading.source] = CaptureColumn(point)
            self.size += Self.overhead(of: reading.source)
        }
        self.count += 1
        if reading.time - self.expiredAt >= Self.expiryInterval { self.expire(at: reading.time) }
        while self.size > self.limits.bytes || self.count > self.limits.readings {
            guard let oldest = self.oldest else { return }
            self.remove(before: MonotonicTime(sinceBoot: .milliseconds(oldest) + Self.expiryInterval))
        }
    }

    /// Keeps all readings since a time, as far as the other bounds allow; nil ends that.
    package mutating func pin(since time: MonotonicTime?) { self.pinned = time }

    /// Forgets all readings, as those of another vehicle.
    package mutating func clear() { self = CaptureRing(self.limits) }

    /// Returns all readings of a time range, with their times counted from `moment`.
    ///
    /// The series are ordered by name.
    package func series(
        in range: ClosedRange<MonotonicTime>,
        around moment: MonotonicTime
    ) -> [CaptureSeries] {
        let (start, end) = (range.lowerBound.sinceBoot.milliseconds, range.upperBound.sinceBoot.milliseconds)
        let zero = moment.sinceBoot.milliseconds
        return self.columns.compactMap { source, column in
            let points = column.points.filter { start...end ~= $0.milliseconds }
            guard !points.isEmpty else { return nil }
            return CaptureSeries(
                source: source,
                milliseconds: points.map { $0.milliseconds - zero },
                steps: points.map(\.steps)
            )
        }.sorted { $0.source.series < $1.source.series }
    }

    // MARK: - Bounds

    private var oldest: Int64? { self.columns.values.map(\.first.milliseconds).min() }

    private mutating func expire(at now: MonotonicTime) {
        self.expiredAt = now
        let end = now - self.limits.span
        self.remove(before: min(end, self.pinned ?? end))
    }

    private mutating func remove(before time: MonotonicTime) {
        let end = time.sinceBoot.milliseconds
        for source in self.columns.filter({ $0.value.first.milliseconds < end }).map(\.key) {
            // Taken out, so that nothing is copied.
            guard var column = self.columns.removeValue(forKey: source) else { continue }
            self.size -= column.size
            while column.first.milliseconds < end {
                self.count -= 1
                guard column.removeFirst() else { break }
            }
            guard column.first.milliseconds >= end else {
                self.size -= Self.overhead(of: source)
                continue
            }
            self.size += column.size
            self.columns[source] = column
        }
    }

    /// Returns the estimated size of an empty column in bytes.
    private static func overhead(of source: CaptureSource) -> Int {
        128 + source.name.utf8.count + source.ecu.utf8.count
    }
}
