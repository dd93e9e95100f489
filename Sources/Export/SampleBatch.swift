// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Store

/// The samples of one record, with their times.
struct SampleBatch {
    struct Sample {
        var time: Timestamp
        var series: String
        var ecu: String
        var value: Double
    }

    /// In the order of time, and of names within it.
    let samples: [Sample]

    /// Nil where the record is damaged.
    init?(_ entry: Recording.Entry) {
        guard let telemetry = (try? JSON(parsing: entry.body, depthLimit: 8)).flatMap(Telemetry.init) else {
            return nil
        }
        var samples: [Sample] = []
        for (name, series) in telemetry.series {
            var milliseconds: Int64 = 0
            var steps: Int64 = 0
            for (dt, dv) in zip(series.dt, series.dv) {
                let (sum, overflow) = milliseconds.addingReportingOverflow(dt)
                guard !overflow else { return nil }
                milliseconds = sum
                steps = steps &+ dv
                samples.append(
                    Sample(
                        time: entry.time + .milliseconds(milliseconds),
                        series: name,
                        ecu: series.ecu,
                        value: ShownValue.rounded(series.scale * Double(steps))
                    )
                )
            }
        }
        self.samples = samples.sorted { ($0.time, $0.series) < ($1.time, $1.series) }
    }
}
