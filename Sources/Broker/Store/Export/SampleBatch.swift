// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// The samples of one telemetry record, with their times.
struct SampleBatch {
    /// The samples, ordered by time and then by name.
    let samples: [TelemetrySample]

    /// Reads a record; fails if it is damaged.
    init?(_ entry: Recording.Entry) {
        guard let telemetry = (try? JSON(parsing: entry.body, depthLimit: 8)).flatMap(Telemetry.init),
            let samples = telemetry.samples(from: entry.time)
        else { return nil }
        self.samples = samples
    }
}
