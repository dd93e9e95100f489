// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Base

/// Leaves samples out as the day's budget runs out.
struct SampleThinner: Sendable {
    private var kept: [String: MonotonicTime] = [:]

    /// The least time between two samples of a parameter; nil: all are recorded.
    static func spacing(at level: BudgetLevel) -> Duration? {
        switch level {
        case .normal, .slowed: nil
        case .thinned: .seconds(10)
        case .exhausted: .seconds(60)
        }
    }

    /// Whether a sample is to be recorded.
    mutating func keeps(_ sample: TelemetryBatcher.Sample, at level: BudgetLevel) -> Bool {
        guard let spacing = Self.spacing(at: level) else {
            self.kept = [:]
            return true
        }
        if let before = self.kept[sample.series], sample.time - before < spacing { return false }
        self.kept[sample.series] = sample.time
        return true
    }
}
