// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// Gathers the samples of some seconds into a batch, in the differences that `telemetry` carries.
package struct TelemetryBatcher: Sendable {
    /// A sample for the record plane.
    package struct Sample: Hashable, Sendable {
        /// The parameter; `<name>/<ecu>` for an ECU that is not the primary one.
        package var series: String
        package var ecu: String
        /// The step of the parameter's values, in its unit.
        package var scale: Double
        /// The value in steps.
        package var steps: Int64
        package var time: MonotonicTime

        package init(series: String, ecu: String, scale: Double, steps: Int64, time: MonotonicTime) {
            self.series = series
            self.ecu = ecu
            self.scale = scale
            self.steps = steps
            self.time = time
        }
    }

    /// The samples of an interval.
    ///
    /// Their times count from ``start``.
    package struct Batch: Hashable, Sendable {
        package var start: MonotonicTime
        package var series: [String: Telemetry.Series]
    }

    /// The number of samples at which a batch ends early.
    static let sampleLimit = 2000

    private struct Last: Sendable {
        var milliseconds: Int64
        var steps: Int64
    }

    private let interval: Duration
    private var batch: Batch?
    private var last: [String: Last] = [:]
    private var count = 0

    package init(interval: Duration) {
        self.interval = interval
    }

    /// Adds a sample.
    ///
    /// - Returns: the batch that ends before the sample, if one does.
    package mutating func append(_ sample: Sample) -> Batch? {
        // An adapter's sample may be added before an older sample of the vehicle. No difference may be negative.
        let isOlder = self.batch.map { sample.time < $0.start } ?? false
        let ended = isOlder || self.isDue(at: sample.time) || self.changesScale(sample) ? self.take() : nil
        var batch = self.batch ?? Batch(start: sample.time, series: [:])
        // Both times are truncated to milliseconds, so their difference is off by less than one, not two.
        let milliseconds = sample.time.sinceBoot.milliseconds - batch.start.sinceBoot.milliseconds
        let before = self.last[sample.series] ?? Last(milliseconds: 0, steps: 0)
        batch.series[sample.series, default: Telemetry.Series(ecu: sample.ecu, scale: sample.scale)]
            .append(dt: milliseconds - before.milliseconds, dv: sample.steps &- before.steps)
        self.last[sample.series] = Last(milliseconds: milliseconds, steps: sample.steps)
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

    private func changesScale(_ sample: Sample) -> Bool {
        guard let series = self.batch?.series[sample.series] else { return false }
        return series.scale != sample.scale || series.ecu != sample.ecu
    }
}

extension Telemetry.Series {
    fileprivate mutating func append(dt: Int64, dv: Int64) {
        self.dt.append(dt)
        self.dv.append(dv)
    }
}
