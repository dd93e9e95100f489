// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A table to which rows are only added.
///
/// The samples have a form of their own, ``SampleRow``.
package enum CollectTable: String, CaseIterable, Sendable {
    case positions, events, trips, captures, responses, rejected
    case captureSamples = "capture_samples"
    case codeChanges = "code_changes"

    /// A column of a table.
    package struct Column: Hashable, Sendable {
        package let name: String
        package let type: ColumnType
        package let isOptional: Bool

        init(_ name: String, _ type: ColumnType, isOptional: Bool = false) {
            self.name = name
            self.type = type
            self.isOptional = isOptional
        }
    }

    /// The columns in the order of the values of a row.
    package var columns: [Column] {
        switch self {
        case .positions:
            [
                Column("vehicle", .text), Column("time", .time), Column("synchronised", .bool),
                Column("latitude", .real), Column("longitude", .real), Column("follows_gap", .bool),
            ]
        case .events: Self.record + [Column("event", .text), Column("body", .json)]
        case .trips:
            Self.record + [
                Column("start_time", .time), Column("duration", .real), Column("moving", .real),
                Column("idling", .real), Column("stopped", .real), Column("unobserved", .real),
            ] + TripFigure.allCases.map { Column($0.rawValue, .real, isOptional: true) } + [Column("body", .json)]
        case .captures:
            Self.record + [
                Column("rule", .text), Column("trigger", .text), Column("code", .text, isOptional: true),
                Column("ecu", .text, isOptional: true), Column("seconds_before", .real),
                Column("seconds_after", .real), Column("ended", .text), Column("body", .json),
            ]
        case .captureSamples:
            Self.number + [
                Column("vehicle", .text), Column("time", .time), Column("series", .integer), Column("value", .real),
            ]
        case .codeChanges:
            Self.record + [
                Column("event", .text), Column("code", .text, isOptional: true), Column("ecu", .text, isOptional: true),
                Column("states", .json, isOptional: true), Column("description", .text, isOptional: true),
            ]
        case .responses:
            Self.record + [
                Column("id", .text, isOptional: true), Column("command", .text, isOptional: true),
                Column("state", .text), Column("reason", .text, isOptional: true), Column("body", .json),
            ]
        case .rejected:
            [Column("time", .time), Column("topic", .text), Column("payload", .bytes), Column("reason", .text)]
        }
    }

    /// The names of the columns that identify a row; empty if nothing does.
    package var key: [String] {
        switch self {
        case .positions, .captureSamples, .rejected: []
        // The broker vouches for the vehicle alone: two agents may have one identity.
        case .events, .trips, .captures, .codeChanges, .responses: Self.number.map(\.name) + ["vehicle"]
        }
    }

    private static let number = [Column("agent", .text), Column("epoch", .integer), Column("seq", .integer)]
    private static let record =
        Self.number + [Column("vehicle", .text), Column("time", .time), Column("synchronised", .bool)]
}

/// A figure of a trip that has a column of its own, and may be unknown.
package enum TripFigure: String, CaseIterable, Sendable {
    case distance
    case distanceObserved = "distance_observed"
    case meanSpeed = "mean_speed"
    case maximumSpeed = "maximum_speed"
    case fuel
    case fuelConsumption = "fuel_consumption"
    case energy, regenerated
    case energyConsumption = "energy_consumption"
}
