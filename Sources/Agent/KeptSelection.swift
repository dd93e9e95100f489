// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
package import OBD2
package import Session
import Timing

/// The selection of a vehicle as the store keeps it: what `select_parameters` has chosen, across restarts.
///
/// It stands beside what the configuration selected at that time. Whoever changes that afterwards has the last word.
package struct KeptSelection: Hashable, Sendable {
    /// No kept text is deeper.
    private static let depthLimit = 4

    package var version: Int
    package var intervals: [ParameterKey: Duration]
    package var configured: [ParameterKey: Duration]

    package init(version: Int, intervals: [ParameterKey: Duration], configured: [ParameterKey: Duration]) {
        self.version = version
        self.intervals = intervals
        self.configured = configured
    }

    /// Reads what ``body`` was; nil where that is no such thing.
    ///
    /// - Parameter custom: the names of the custom parameters; one that is not among them any more is left out.
    package init?(_ body: [UInt8], custom: Set<String>) {
        guard case .object(let members) = try? JSON(parsing: body, depthLimit: Self.depthLimit),
            case .integer(let version) = members["version"], let version = Int(exactly: version), version > 0,
            let intervals = Self.intervals(members["parameters"], custom),
            let configured = Self.intervals(members["configured"], custom)
        else { return nil }
        self.init(version: version, intervals: intervals, configured: configured)
    }

    package var body: [UInt8] {
        let json: JSON = [
            "version": .integer(Int64(self.version)), "parameters": Self.json(self.intervals),
            "configured": Self.json(self.configured),
        ]
        return Array(json.text.utf8)
    }

    /// What is to be polled, with what the configuration selects now.
    package func selection(configured: [ParameterKey: Duration]) -> Selection {
        guard configured == self.configured else { return Selection(version: self.version + 1, intervals: configured) }
        return Selection(version: self.version, intervals: self.intervals)
    }

    private static func json(_ intervals: [ParameterKey: Duration]) -> JSON {
        .object(
            Dictionary(intervals.map { ($0.key.name, .integer($0.value.milliseconds)) }, uniquingKeysWith: { $1 })
        )
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
