// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// What somebody may ask for; each role includes those before it.
package enum Role: String, CaseIterable, Comparable, Hashable, Sendable {
    /// Reads.
    case observer
    /// Also selects, boosts, records findings, wakes and clears.
    case specialist
    /// Also tests, asks raw bytes, and overrides what protects from mistakes.
    case engineer

    package static func < (left: Role, right: Role) -> Bool {
        Self.allCases.firstIndex(of: left) ?? 0 < Self.allCases.firstIndex(of: right) ?? 0
    }
}

extension Command.Action {
    /// Who may ask for it.
    package var role: Role {
        if case .clearCodes(_, overridesEngine: true, _, _) = self { return .engineer }
        return self.name.role
    }
}

extension CommandName {
    /// Who may ask for it at least.
    package var role: Role {
        switch self {
        case .describe, .readCodes, .readParameters, .readMonitors, .readVehicle: .observer
        case .selectParameters, .boost, .recordFinding, .clearCodes, .wake: .specialist
        case .runTest, .rawRequest: .engineer
        }
    }
}
