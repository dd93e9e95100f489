// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The reason for a probe: a request to the bus of a parked vehicle.
package enum ProbeReason: Hashable, Sendable {
    /// The agent started.
    case start
    /// The adapter answers again after an absence.
    case appearance
    /// The supply voltage looks like ignition.
    case voltageChange
    /// Nodes of the vehicle send again on a bus that can be listened to.
    case traffic
    /// The voltage does not show the ignition, and the last probe was long ago.
    case interval
    /// The command `wake`.
    case wakeCommand

    /// Whether a vehicle that answers, and neither drives nor is charged, is parked again at once.
    package var needsUse: Bool { [.voltageChange, .traffic, .interval].contains(self) }

    /// Whether a probe without an answer is repeated once, because one answer may be lost.
    var isRepeatable: Bool { self == .start || self == .appearance }
}
