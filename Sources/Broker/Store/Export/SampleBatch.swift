// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// The samples of one record, with their times.
struct SampleBatch {
    /// In the order of time, and of names within it.
    let samples: [TelemetrySample]

    /// Nil where the record is damaged.
    init?(_ entry: Recording.Entry) {
        guard let telemetry = (try? JSON(parsing: entry.body, depthLimit: 8)).flatMap(Telemetry.init),
            let samples = telemetry.samples(from: entry.time)
        else { return nil }
        self.samples = samples
    }
}
