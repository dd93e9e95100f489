// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The diagnostic language that a vehicle speaks.
package enum Dialect: String, CaseIterable, Hashable, Sendable {
    /// SAE J1979 / ISO 15031-5: the services 01 to 0A.
    case j1979
    /// SAE J1979-2, "OBD on UDS": the same facts through services 22, 19 and 14 of ISO 14229-1.
    case j1979Part2 = "j1979_2"
    /// SAE J1939: parameter groups, as heavy-duty vehicles broadcast them.
    case j1939
}
