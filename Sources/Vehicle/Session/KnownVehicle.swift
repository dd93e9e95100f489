// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2

/// The bitmaps of the PIDs of a vehicle, so that the next session polls as soon as the vehicle is identified.
///
/// Only a vehicle that reports its VIN by service 09 is known again, and only with the same ECUs on the same bus. What
/// scales values (PIDs 4F and 50) is read in each session.
package struct KnownVehicle: Hashable, Sendable {
    package let vin: VIN
    package let bus: BusProtocol
    package let dialect: Dialect
    package let ecus: [ECUAddress: SupportedPIDs]

    package init(vin: VIN, bus: BusProtocol, dialect: Dialect, ecus: [ECUAddress: SupportedPIDs]) {
        (self.vin, self.bus, self.dialect, self.ecus) = (vin, bus, dialect, ecus)
    }

    /// - Returns: nil if the vehicle has no VIN of its own, or a bitmap is missing or without a PID.
    init?(_ identity: VehicleIdentity) {
        // An ECU that was silent long enough counts as one with an empty bitmap. That must not outlive the session.
        guard let vin = identity.vin, identity.addressedVIN == nil, identity.isMapped,
            identity.dialect == .j1979 || identity.dialect == .j1979Part2,
            identity.ecus.values.allSatisfy({ ecu in
                ecu.supported.nextBitmap == nil
                    && ecu.supported.bitmapBases.allSatisfy { ecu.supported.bitmap($0) != [0, 0, 0, 0] }
            })
        else { return nil }
        self.init(vin: vin, bus: identity.bus, dialect: identity.dialect, ecus: identity.ecus.mapValues(\.supported))
    }

    /// Whether the vehicle that answers is this one, by its VIN and by the answers of its ECUs to PID 00.
    func fits(_ identity: VehicleIdentity) -> Bool {
        guard identity.vin == self.vin, (identity.bus, identity.dialect) == (self.bus, self.dialect),
            Set(identity.ecus.keys) == Set(self.ecus.keys)
        else { return false }
        return identity.ecus.allSatisfy { $0.value.supported.bitmap(0x00) == self.ecus[$0.key]?.bitmap(0x00) }
    }

    /// The errands for all bitmaps, which show whether an ECU has other PIDs than it had.
    var bitmapErrands: [Errand] {
        Set(self.ecus.values.flatMap(\.bitmapBases)).sorted().map(Errand.supportedPIDs)
    }
}

extension SupportedPIDs {
    /// The PIDs of the bitmaps that an ECU has.
    var bitmapBases: [PID] { [0x00] + self.pids.filter(\.isBitmap) }
}
