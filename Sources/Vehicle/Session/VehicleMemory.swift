// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import OBD2

/// The facts about vehicles that outlive a session.
final class VehicleMemory {
    /// The bus on which the last vehicle answered.
    var bus: BusProtocol?
    /// Whether the ECUs of the last vehicle have answered standard requests.
    var hasStandardServices = false
    /// The number of PIDs in one request, by vehicle, behind the current adapter.
    var limits = KnownLimits()
    /// The destinations that the adapter cannot reach.
    var refusals = Refusals()
}
