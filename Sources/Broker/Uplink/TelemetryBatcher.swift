// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
package import Base

/// Gathers samples into batches of some seconds, as the differences that `telemetry` carries.
package struct TelemetryBatcher: Sendable {
    /// A sample as the record plane keeps it.
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

    /// What ``flush(at:)`` gives out: a batch whose times still count from ``start``.
    package struct Batch: Hashable, Sendable {
        package var start: MonotonicTime
        package var series: [String: Telemetry.Series]
    }

    /// A batch ends early when it has so many samples.
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

    /// Takes a sample.
    ///
    /// Returns the batch before it where that has to end first.
    package mutating func append(_ sample: Sample) -> Batch? {
        // What the adapter tells may be dated after what the vehicle told before, and no difference is below zero.
        let isOlder = self.batch.map { sample.time < $0.start } ?? false
        let full = isOlder || self.isDue(at: sample.time) || self.changesScale(sample) ? self.take() : nil
        var batch = self.batch ?? Batch(start: sample.time, series: [:])
        // Both are cut to milliseconds in the same way, so that the sum is at most one too little, not two.
        let milliseconds = sample.time.sinceBoot.milliseconds - batch.start.sinceBoot.milliseconds
        let before = self.last[sample.series] ?? Last(milliseconds: 0, steps: 0)
        batch.series[sample.series, default: Telemetry.Series(ecu: sample.ecu, scale: sample.scale)]
            .append(dt: milliseconds - before.milliseconds, dv: sample.steps &- before.steps)
        self.last[sample.series] = Last(milliseconds: milliseconds, steps: sample.steps)
        self.batch = batch
        self.count += 1
        return full
    }

    /// The batch as it is so far.
    package var open: Batch? { self.batch }

    /// The batch whose time has come, if any.
    package mutating func flush(at now: MonotonicTime) -> Batch? {
        self.isDue(at: now) ? self.take() : nil
    }

    /// The batch as it is, if any: nothing more comes.
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
