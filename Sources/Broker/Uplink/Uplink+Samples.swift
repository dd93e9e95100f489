// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
import Store
package import Base

// What is read goes both ways: to the live plane and into the telemetry batch.
extension Uplink {
    /// A sample, for both planes.
    package struct Sample: Sendable {
        package var path: TopicPath
        package var report: ParameterReport
        /// Nil for what is no number.
        package var record: TelemetryBatcher.Sample?
        /// The value for whoever asks for the last one.
        package var shown: ShownValue
        package var time: MonotonicTime

        package init(
            path: TopicPath,
            report: ParameterReport,
            record: TelemetryBatcher.Sample?,
            shown: ShownValue,
            time: MonotonicTime
        ) {
            self.path = path
            self.report = report
            self.record = record
            self.shown = shown
            self.time = time
        }
    }

    /// Publishes and records samples.
    package func ingest(_ samples: [Sample]) async {
        for sample in samples {
            self.update(sample.path, .parameter(sample.report))
            self.keep(sample)
            guard let record = sample.record, self.thinner.keeps(record, at: self.traffic.level) else { continue }
            if let batch = self.batcher.append(record) { await self.record(batch) }
        }
        if self.options.storeWindow == .zero { await self.save() }
    }

    private func keep(_ sample: Sample) {
        guard case .parameter(let name, let ecu) = sample.path else { return }
        self.values[sample.path] = LastValue(
            vehicle: self.topics.vehicle,
            series: ecu.map { "\(name)/\($0)" } ?? name,
            ecu: sample.report.ecu,
            value: sample.shown.value,
            label: sample.shown.label,
            unit: sample.shown.unit,
            at: sample.time
        )
    }
}
