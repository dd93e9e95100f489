// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The numbers of captures on a day, by rule.
package struct DayCaptures: Hashable, Sendable {
    /// The number of the UTC day since 1970.
    package var date: Int64
    package var byRule: [String: Int]

    package init(date: Int64, byRule: [String: Int]) {
        self.date = date
        self.byRule = byRule
    }
}
