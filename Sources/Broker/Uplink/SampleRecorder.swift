// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Store

/// The samples on their way into records: thinned by the data budget, gathered into batches, with the last values.
struct SampleRecorder: Sendable {
    private var batcher: TelemetryBatcher
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

    /// Returns the batch whose interval has passed, if it has.
    mutating func flush(at now: MonotonicTime) -> TelemetryBatcher.Batch? { self.batcher.flush(at: now) }

    /// Returns the incomplete batch, if there is one, and begins the next.
    mutating func take() -> TelemetryBatcher.Batch? { self.batcher.take() }

    /// Returns the values that the store does not have, once.
    mutating func takeValues() -> [LastValue] {
        defer { self.values = [:] }
        return Array(self.values.values)
    }

    /// Returns a snapshot of the incomplete batch for the disk.
    func draft(of vehicle: String) -> Store.Draft? {
        self.batcher.open.flatMap { batch in
            (try? PayloadEncoder.bytes(of: Telemetry(series: batch.series))).map {
                Store.Draft(body: $0, at: batch.start, destination: .init(vehicle: vehicle))
            }
        }
    }
}
