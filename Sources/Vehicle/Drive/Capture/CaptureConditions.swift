// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The conditions of capture rules: since when each holds, and whether it has fired since it held first.
struct CaptureConditions: Sendable {
    private struct State: Sendable {
        var since: MonotonicTime
        var hasFired = false
    }

    private var states: [String: State] = [:]

    /// Judges the condition of a rule.
    ///
    /// An unknown answer counts as none, so that the time begins anew.
    ///
    /// - Returns: whether the condition has held for the duration just now.
    mutating func judged(_ rule: String, _ holds: Bool?, for duration: Duration, at now: MonotonicTime) -> Bool {
        guard holds == true else {
            self.states[rule] = nil
            return false
        }
        var state = self.states[rule] ?? State(since: now)
        defer { self.states[rule] = state }
        guard !state.hasFired, now - state.since >= duration else { return false }
        state.hasFired = true
        return true
    }

    /// Forgets the states of all rules but these.
    mutating func keep(only rules: Set<String>) { self.states = self.states.filter { rules.contains($0.key) } }
}
