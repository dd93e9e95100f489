// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
package import OBD2
import Session

/// The selection of a vehicle in the store: what `select_parameters` has chosen, across restarts.
///
/// The configured selection of that time is stored with it. A later change of the configuration replaces both.
package struct KeptSelection: Hashable, Sendable {
    /// The nesting limit of the stored JSON.
    private static let depthLimit = 4

    /// The version of the selection.
    package var version: Int
    /// The poll intervals of the selected parameters.
    package var intervals: [ParameterKey: Duration]
    /// The dead bands, by the names of values.
    package var deadBands: [String: Double]
    /// The poll intervals that the configuration selected at that time.
    package var configured: [ParameterKey: Duration]

    package init(
        version: Int,
        intervals: [ParameterKey: Duration],
        deadBands: [String: Double] = [:],
        configured: [ParameterKey: Duration]
    ) {
        self.version = version
        self.intervals = intervals
        self.deadBands = deadBands
        self.configured = configured
    }

    /// Decodes a ``body``; nil if it is not one.
    ///
    /// - Parameter custom: the names of the present custom parameters; others are left out.
    package init?(_ body: [UInt8], custom: Set<String>) {
        guard case .object(let members) = try? JSON(parsing: body, depthLimit: Self.depthLimit),
            case .integer(let version) = members["version"], let version = Int(exactly: version), version > 0,
            let intervals = Self.intervals(members["parameters"], custom),
            let configured = Self.intervals(members["configured"], custom)
        else { return nil }
        // Older versions of the agent stored no dead bands.
        let deadBands = Self.deadBands(members["dead_bands"])
        self.init(version: version, intervals: intervals, deadBands: deadBands, configured: configured)
    }

    /// The selection as JSON.
    package var body: [UInt8] {
        let json: JSON = [
            "version": .integer(Int64(self.version)), "parameters": Self.json(self.intervals),
            "configured": Self.json(self.configured), "dead_bands": .object(self.deadBands.mapValues { .number($0) }),
        ]
        return Array(json.text.utf8)
    }

    /// Returns the selection to poll, given the present configuration.
    package func selection(configured: [ParameterKey: Duration]) -> Selection {
        guard configured == self.configured else { return Selection(version: self.version + 1, intervals: configured) }
        return Selection(version: self.version, intervals: self.intervals, deadBands: self.deadBands)
    }

    private static func json(_ intervals: [ParameterKey: Duration]) -> JSON {
        .object(
            Dictionary(intervals.map { ($0.key.name, .integer($0.value.milliseconds)) }, uniquingKeysWith: { $1 })
        )
    }

    private static func deadBands(_ json: JSON?) -> [String: Double] {
        guard case .object(let members) = json else { return [:] }
        return members.compactMapValues(\.double).filter { $0.value >= 0 }
    }

    private static func intervals(_ json: JSON?, _ custom: Set<String>) -> [ParameterKey: Duration]? {
        guard case .object(let members) = json else { return nil }
        var intervals: [ParameterKey: Duration] = [:]
        for (name, value) in members {
            guard case .integer(let milliseconds) = value, 50...86_400_000 ~= milliseconds else { return nil }
            if custom.contains(name) {
                intervals[.custom(name)] = .milliseconds(milliseconds)
            } else if let parameter = Parameter.named(name) {
                intervals[.pid(parameter.pid)] = .milliseconds(milliseconds)
            }
        }
        return intervals
    }
}
