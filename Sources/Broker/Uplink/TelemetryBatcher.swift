// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// Gathers the samples of some seconds into a batch, in the differences that `telemetry` carries.
package struct TelemetryBatcher: Sendable {
    /// The samples of an interval.
    ///
    /// Their times count from ``start``.
    package struct Batch: Hashable, Sendable {
        package var start: MonotonicTime
        package var series: [String: Telemetry.Series]
        /// The part of the track that is recorded with the samples.
        package var track: Telemetry.Track?
    }

    /// The number of samples at which a batch ends early.
    static let sampleLimit = 2000

    private let interval: Duration
    private var batch: Batch?
    /// The last sample of each series in the batch.
    private var last: [String: (time: MonotonicTime, steps: Int64)] = [:]
    private var count = 0

    package init(interval: Duration) {
        self.interval = interval
    }

    /// Adds a sample; ignored if its value is not a number.
    ///
    /// - Returns: the batch that ends before the sample, if one does.
    package mutating func append(_ sample: Uplink.Sample) -> Batch? {
        guard let steps = sample.steps else { return nil }
        // An adapter's sample may be added before an older sample of the vehicle. No difference may be negative.
        let isOlder = self.batch.map { sample.time < $0.start } ?? false
        let ended = isOlder || self.isDue(at: sample.time) || self.changesScale(sample) ? self.take() : nil
        // Taken out, so that nothing is copied.
        var batch = self.batch.take() ?? Batch(start: sample.time, series: [:])
        let name = sample.series
        let before = self.last[name] ?? (time: batch.start, steps: 0)
        var series =
            batch.series.removeValue(forKey: name)
            ?? Telemetry.Series(ecu: sample.report.ecu, scale: sample.scale)
        // Both times are truncated to milliseconds, so their difference is off by less than one, not two.
        series.dt.append(sample.time.sinceBoot.milliseconds - before.time.sinceBoot.milliseconds)
        series.dv.append(steps &- before.steps)
        batch.series[name] = series
        self.last[name] = (time: sample.time, steps: steps)
        self.batch = batch
        self.count += 1
        return ended
    }

    /// The incomplete batch.
    package var open: Batch? { self.batch }

    /// Returns the batch if its interval has passed.
    package mutating func flush(at now: MonotonicTime) -> Batch? {
        self.isDue(at: now) ? self.take() : nil
    }

    /// Returns the incomplete batch, if there is one, and begins the next.
    package mutating func take() -> Batch? {
        defer {
            self.batch = nil
            self.last = [:]
            self.count = 0
        }
        return self.batch
    }

    private func isDue(at now: MonotonicTime) -> Bool {
        guard let batch = self.batch else { return false }
        return now - batch.start >= self.interval || self.count >= Self.sampleLimit
    }

    private func changesScale(_ sample: Uplink.Sample) -> Bool {
        guard let series = self.batch?.series[sample.series] else { return false }
        return series.scale != sample.scale || series.ecu != sample.report.ecu
    }
}
