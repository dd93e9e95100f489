// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2

/// The parameters of a vehicle, so that the next session with it polls them as soon as it is identified.
///
/// Only a vehicle that reports its VIN by service 09 is known again, and only with the same ECUs on the same bus.
package struct KnownVehicle: Hashable, Sendable {
    /// The parameters of one ECU.
    package struct Parameters: Hashable, Sendable {
        package var supported = SupportedPIDs()
        /// The data of PIDs 4F and 50, which scale some values.
        package var maxima: [PID: [UInt8]] = [:]

        package init() {}
    }

    package let vin: VIN
    package let bus: BusProtocol
    package let dialect: Dialect
    package let ecus: [ECUAddress: Parameters]

    package init(vin: VIN, bus: BusProtocol, dialect: Dialect, ecus: [ECUAddress: Parameters]) {
        (self.vin, self.bus, self.dialect, self.ecus) = (vin, bus, dialect, ecus)
    }

    /// - Returns: nil if the vehicle has no VIN of its own, or some of its parameters are not known yet.
    init?(_ identity: VehicleIdentity) {
        guard let vin = identity.vin, identity.addressedVIN == nil, identity.isMapped,
            identity.dialect == .j1979 || identity.dialect == .j1979Part2,
            identity.ecus.values.allSatisfy({ ecu in
                ecu.supported.nextBitmap == nil && !Scaling.pids.contains(where: ecu.lacksMaxima)
            })
        else { return nil }
        let ecus = identity.ecus.mapValues { ecu in
            var parameters = Parameters()
            (parameters.supported, parameters.maxima) = (ecu.supported, ecu.maxima)
            return parameters
        }
        self.init(vin: vin, bus: identity.bus, dialect: identity.dialect, ecus: ecus)
    }

    /// Whether the vehicle that answers is this one, by its VIN and by the answers of its ECUs to PID 00.
    func fits(_ identity: VehicleIdentity) -> Bool {
        guard identity.vin == self.vin, (identity.bus, identity.dialect) == (self.bus, self.dialect),
            Set(identity.ecus.keys) == Set(self.ecus.keys)
        else { return false }
        return identity.ecus.allSatisfy { $0.value.supported.bitmap(0x00) == self.ecus[$0.key]?.supported.bitmap(0x00) }
    }

    /// The errands for all bitmaps, which show whether an ECU has more than it had.
    ///
    /// An ECU that was silent once counts as one without the bitmap.
    var bitmapErrands: [Errand] {
        let bases = Set(self.ecus.values.flatMap(\.supported.bitmapBases))
        return bases.sorted().map(Errand.supportedPIDs)
    }
}

extension SupportedPIDs {
    /// The PIDs of the bitmaps that an ECU has.
    var bitmapBases: [PID] { [0x00] + self.pids.filter { $0.isBitmap } }
}
