// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// Drops samples as the day's data budget runs out.
struct SampleThinner: Sendable {
    /// The time of the last recorded sample, by series.
    private var recordedAt: [String: MonotonicTime] = [:]

    /// Returns the shortest time between two samples of a parameter; nil: all samples are recorded.
    static func spacing(at level: BudgetLevel) -> Duration? {
        switch level {
        case .normal, .slowed: nil
        case .thinned: .seconds(10)
        case .exhausted: .seconds(60)
        }
    }

    /// Returns whether a sample is recorded.
    mutating func keeps(_ sample: Uplink.Sample, at level: BudgetLevel) -> Bool {
        guard let spacing = Self.spacing(at: level) else {
            self.recordedAt = [:]
            return true
        }
        let series = sample.series
        if let before = self.recordedAt[series], sample.time - before < spacing { return false }
        self.recordedAt[series] = sample.time
        return true
    }
}
