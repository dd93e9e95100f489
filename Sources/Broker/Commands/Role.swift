// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The rights of a sender; each role includes the roles before it.
package enum Role: String, CaseIterable, Comparable, Hashable, Sendable {
    /// Reads.
    case observer
    /// Also selects and boosts parameters, captures, detects the model, records findings, wakes the vehicle and clears
    /// codes.
    case specialist
    /// Also runs tests, sends raw requests, and overrides the protections against mistakes.
    case engineer

    package static func < (left: Role, right: Role) -> Bool {
        Self.allCases.firstIndex(of: left) ?? 0 < Self.allCases.firstIndex(of: right) ?? 0
    }
}

extension Command.Action {
    /// The role that the action needs.
    package var role: Role {
        if case .clearCodes(_, overridesEngine: true, _, _) = self { return .engineer }
        return self.name.role
    }
}

extension CommandName {
    /// The lowest role that the command needs, whatever its arguments.
    package var role: Role {
        switch self {
        case .describe, .readCodes, .readParameters, .readMonitors, .readVehicle, .resend: .observer
        case .selectParameters, .boost, .recordFinding, .clearCodes, .wake, .detectParameters, .capture:
            .specialist
        case .runTest, .rawRequest: .engineer
        }
    }
}
