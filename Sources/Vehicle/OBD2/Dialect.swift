// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The diagnostic protocol of a vehicle.
package enum Dialect: String, CaseIterable, Hashable, Sendable {
    /// SAE J1979 / ISO 15031-5: the services 01 to 0A.
    case j1979
    /// SAE J1979-2, "OBD on UDS": the same data through services 22, 19 and 14 of ISO 14229-1.
    case j1979Part2 = "j1979_2"
    /// SAE J1939: parameter groups, which heavy-duty vehicles broadcast.
    case j1939
    /// The requests of the vehicle's manufacturer to single ECUs; no ECU answers a standard service.
    case manufacturer

    /// Whether the ECUs answer requests to all of them, such as that for the supported parameters.
    package var hasStandardServices: Bool { self != .manufacturer }
}
