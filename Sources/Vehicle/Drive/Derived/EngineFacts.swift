// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Facts about the engine that no ECU reports, as the configuration gives them.
package struct EngineFacts: Hashable, Sendable {
    /// The fuel; nil takes that of PID 51, or that of the ignition.
    package var fuel: Fuel?
    /// The displacement in liters; nil if it is unknown.
    package var displacement: Double?
    /// The volumetric efficiency, from 0 to 1 and with a charger above; nil for ``usualEfficiency``.
    package var volumetricEfficiency: Double?

    /// The volumetric efficiency of an engine without a charger over the range of a drive.
    ///
    /// Heywood, section 6.2: 0.8 to 0.9 for four-stroke engines at full load, and less at part load in this sense, as
    /// the manifold's pressure is measured.
    package static let usualEfficiency = 0.85

    package init(fuel: Fuel? = nil, displacement: Double? = nil, volumetricEfficiency: Double? = nil) {
        self.fuel = fuel
        self.displacement = displacement
        self.volumetricEfficiency = volumetricEfficiency
    }
}
