// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import OBD2

extension Fleet {
    /// The vehicle that a user means who names none.
    package enum Meant: Hashable, Sendable {
        /// The broker knows no vehicle.
        case none
        /// The only known vehicle.
        case only(String)
        /// The only vehicle that is online, of several known ones.
        case onlyOnline(String)
        /// Any of several vehicles.
        case several
    }

    /// The vehicle that a user means who names none.
    package var meant: Meant {
        let vehicles = self.vehicles
        guard let first = vehicles.first else { return .none }
        guard vehicles.count > 1 else { return .only(first.name) }
        let online = vehicles.filter { $0.availability == .online }
        guard let vehicle = online.first, online.count == 1 else { return .several }
        return .onlyOnline(vehicle.name)
    }

    /// Returns the name of the vehicle with a name or a VIN, whose letters may be small ones.
    ///
    /// - Returns: nil if there is none, or if several vehicles have published this VIN under other names.
    package func name(of wanted: String) -> String? {
        let vehicles = self.all
        if vehicles.contains(where: { $0.name == wanted }) { return wanted }
        guard let vin = VIN(wanted.uppercased())?.description else { return nil }
        if vehicles.contains(where: { $0.name == vin }) { return vin }
        let known = vehicles.filter { $0.vin == vin }
        return known.count == 1 ? known.first?.name : nil
    }
}
