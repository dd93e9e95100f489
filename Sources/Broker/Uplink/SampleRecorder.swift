// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Store

/// The samples and the track on their way into records: thinned by the data budget, gathered into batches, with the
/// last values.
struct SampleRecorder: Sendable {
    private var batcher: TelemetryBatcher
    private var track = TrackBatcher()
    private var thinner = SampleThinner()
    /// The newest values that the store does not have, by series.
    private var values: [String: LastValue] = [:]

    init(batchInterval: Duration) {
        self.batcher = TelemetryBatcher(interval: batchInterval)
    }

    /// Adds a sample of a vehicle.
    ///
    /// - Returns: the batch that ends before the sample, if one does.
    mutating func add(
        _ sample: Uplink.Sample,
        of vehicle: String,
        at level: BudgetLevel
    ) -> TelemetryBatcher.Batch? {
        let series = sample.series
        self.values[series] = LastValue(
            vehicle: vehicle,
            series: series,
            ecu: sample.report.ecu,
            value: sample.metric.value,
            label: sample.metric.label,
            unit: sample.metric.unit,
            at: sample.time
        )
        guard sample.steps != nil, self.thinner.keeps(sample, at: level) else { return nil }
        return self.batcher.append(sample)
    }

    /// Adds a point of the vehicle's track.
    mutating func add(_ point: TrackBatcher.Point) { self.track.append(point) }

    /// Returns the batch whose interval has passed, if it has.
    mutating func flush(at now: MonotonicTime) -> TelemetryBatcher.Batch? {
        let ended = self.batcher.flush(at: now)
        return self.track.isDue(at: now) ? self.withTrack(ended ?? self.batcher.take()) : ended
    }

    /// Returns the incomplete batch, if there is one, and begins the next.
    mutating func take() -> TelemetryBatcher.Batch? { self.withTrack(self.batcher.take()) }

    /// Returns a batch with the part of the track, if there is one; a part without samples becomes a batch of its own.
    private mutating func withTrack(_ batch: TelemetryBatcher.Batch?) -> TelemetryBatcher.Batch? {
        guard let start = batch?.start ?? self.track.start else { return nil }
        var batch = batch ?? TelemetryBatcher.Batch(start: start, series: [:])
        batch.track = self.track.take(from: start)
        return batch
    }

    /// Returns the values that the store does not have, once.
    mutating func takeValues() -> [LastValue] {
        defer { self.values = [:] }
        return Array(self.values.values)
    }

    /// Returns a snapshot of the incomplete batch for the disk.
    func draft(of vehicle: String) -> Store.Draft? {
        guard let start = self.batcher.open?.start ?? self.track.start else { return nil }
        let draft = Telemetry(series: self.batcher.open?.series ?? [:], track: self.track.track(from: start))
        return (try? PayloadEncoder.bytes(of: draft)).map {
            Store.Draft(body: $0, at: start, destination: .init(vehicle: vehicle))
        }
    }
}
