// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import OBD2

/// The facts about vehicles that outlive a session.
final class VehicleMemory {
    /// The bus on which the last vehicle answered.
    var bus: BusProtocol?
    /// The request to one ECU that the last vehicle has answered with its VIN.
    var vinRequest: VINRequest?
    /// Whether the ECUs of the last vehicle have answered standard requests.
    var hasStandardServices = false
    /// Whether a vehicle of this dialect without a VIN counts as silent, because the last vehicle has one.
    ///
    /// Without standard services only a VIN shows that these are some of the ECUs of a vehicle that had them.
    func needsVIN(_ dialect: Dialect) -> Bool {
        self.vinRequest != nil || self.hasStandardServices && !dialect.hasStandardServices
    }

    /// Forgets the last vehicle, because another one may answer.
    func vehicleForgotten() { (self.bus, self.vinRequest, self.hasStandardServices) = (nil, nil, false) }

    /// The number of PIDs in one request, by vehicle, behind the current adapter.
    var limits = KnownLimits()
    /// The destinations that the adapter cannot reach.
    var refusals = Refusals()
}
