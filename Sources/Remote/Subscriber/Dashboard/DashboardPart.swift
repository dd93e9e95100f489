// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A part of the dashboard, which can have the screen for itself.
enum DashboardPart: Int, CaseIterable, Hashable, Sendable {
    case gauges = 1
    case values, codes, readiness, drive, events

    /// The name as in the last row of the screen.
    var word: String {
        switch self {
        case .gauges: "gauges"
        case .values: "values"
        case .codes: "codes"
        case .readiness: "ready"
        case .drive: "trip"
        case .events: "events"
        }
    }

    /// The heading above the part.
    var title: String {
        switch self {
        case .gauges: "Gauges"
        case .values: "Values"
        case .codes: "Codes"
        case .readiness: "Readiness"
        case .drive: "Trip"
        case .events: "Events"
        }
    }
}
