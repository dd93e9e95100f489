// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// What the day's data budget still allows.
///
/// Each level adds to the one before it; codes, events and responses always go out.
package enum BudgetLevel: String, CaseIterable, Encodable, Hashable, Sendable {
    /// Everything as configured.
    case normal
    /// Live values are slow, from 75 % on.
    case slowed
    /// Samples are recorded at most every 10 s, from 90 % on.
    case thinned
    /// No live values, from 95 % on; samples at most every 60 s, which wait for the next day.
    case exhausted
}
