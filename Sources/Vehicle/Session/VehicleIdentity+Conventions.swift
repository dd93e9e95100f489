// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2

// The conventions of the ECUs for the data of services 01 and 02.
extension VehicleIdentity {
    /// The layout by which the PIDs of oxygen sensors are requested.
    package var oxygenSensors: OxygenSensorLayout {
        self.supports(0x1D) && !self.supports(0x13) ? .fourBanks : .twoBanks
    }

    /// Returns the PID to request for the parameter of the catalogue with this PID.
    package func pid(of parameter: PID) -> PID { self.oxygenSensors.counterpart(of: parameter) }

    /// Returns the conventions of an ECU.
    package func conventions(of ecu: ECUAddress) -> ECUConventions { self.ecus[ecu]?.conventions ?? .standard }
}

extension ECUIdentity {
    /// The conventions of the ECU, as far as it has reported them.
    package var conventions: ECUConventions {
        ECUConventions(
            oxygenSensors: OxygenSensorLayout(self.supported),
            scaling: Scaling(
                of: self.supported,
                isComplete: self.supported.nextBitmap.map { $0 > 0x40 } ?? true,
                reported: self.maxima
            )
        )
    }

    /// Whether the ECU has the maxima of this PID, and has not reported them.
    func lacksMaxima(_ pid: PID) -> Bool { self.supported.contains(pid) && self.maxima[pid] == nil }
}
