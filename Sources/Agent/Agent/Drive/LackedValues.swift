// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Configuration
import Drive

/// The values of limits and capture rules that the connected vehicle does not have.
struct LackedValues: Sendable {
    /// The names of the values that each table of the configuration needs.
    private let tables: [(table: String, names: [String])]
    /// The names that the vehicle lacks, sorted.
    private(set) var names: [String] = []
    /// The tables that the log has told of for this vehicle, each with the names that were lacking.
    private var noted: Set<[String]> = []

    init(_ limits: [LimitRule], _ captures: [CaptureRule]) {
        let rules = captures.compactMap { rule -> (String, [String])? in
            guard case .condition(let condition, _) = rule.trigger else { return nil }
            return ("capture.\(rule.name)", condition.names)
        }
        self.tables = limits.map { ("limit.\($0.name)", $0.names) } + rules
    }

    /// Takes over the watched values that the vehicle does not have.
    ///
    /// - Returns: the actions that log each table with such a value, once for each vehicle.
    mutating func changed(to lacked: Set<String>) -> [DriveAction] {
        var actions: [DriveAction] = []
        var names: Set<String> = []
        for (table, needed) in self.tables {
            let lacking = Set(needed).intersection(lacked).sorted()
            names.formUnion(lacking)
            guard !lacking.isEmpty, self.noted.insert([table] + lacking).inserted else { continue }
            actions.append(.noteLackedValues(lacking, of: table))
        }
        self.names = names.sorted()
        return actions
    }

    /// Another vehicle follows.
    mutating func vehicleChanged() { (self.names, self.noted) = ([], []) }
}
