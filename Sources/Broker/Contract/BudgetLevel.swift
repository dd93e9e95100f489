// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The level of savings, by the used share of the day's data budget.
///
/// Each level adds to the previous one. Codes, events and responses are published at every level.
package enum BudgetLevel: String, CaseIterable, Encodable, Hashable, Sendable {
    /// The agent publishes everything as configured.
    case normal
    /// From 75 % of the budget: the agent publishes live values less often.
    case slowed
    /// From 90 %: the agent records a parameter at most every 10 s.
    case thinned
    /// From 95 %: no live values, and a sample at most every 60 s, which waits for the next day.
    case exhausted
}
