// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The answer to the question whether the vehicle on the bus is still the one that was identified.
package enum VehicleProof: Hashable, Sendable {
    /// The ECUs identified themselves as that vehicle again.
    case same
    /// The ECUs belong to another vehicle.
    case other
    /// No ECU identified itself, or its reply was damaged.
    case unreadable
}
