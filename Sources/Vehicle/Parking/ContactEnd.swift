// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The end of a contact: of a session, or of the attempt to begin one.
package enum ContactEnd: Hashable, Sendable {
    /// No ECU answers; the supply voltage at that time, if it is known.
    case vehicleSilent(Double?)
    /// ECUs answer, and the vehicle neither drives nor is charged.
    case standing
    /// The supply voltage is below the limit.
    case voltageTooLow
    /// The link to the adapter could not be opened.
    case adapterUnreachable
    /// The vehicle was parked, and stays parked.
    case stillParked
    /// Another vehicle answers than before.
    case vehicleChanged
    /// Any other failure.
    case failed

    var isSilent: Bool { if case .vehicleSilent = self { true } else { false } }
}
