// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import Contract
import EventLoop
import JOSE
import OBD2
import Session

/// The rules that name vehicles in topics and decide which vehicles are expected.
struct VehicleNaming: Sendable {
    /// The facts that distinguish a vehicle from others.
    struct Identified: Hashable, Sendable {
        /// The vehicle's topic level, unless it owns the configured name.
        var name: String
        /// The marks by which the store may know the vehicle; the first one is stored from now on.
        var marks: [String]
        /// The VIN, if it may be published.
        var vin: VIN?
    }

    /// The topic level of the agent itself, while it has no vehicle.
    let own: String
    private let rules: Configuration.Vehicle
    private let key: [UInt8]

    /// - Parameter key: the secret key of the hashes, see ``NamingKey``.
    init(_ rules: Configuration.Vehicle, _ machine: MachineIdentity, key: [UInt8]) {
        self.own = "agent-\(machine.agent)"
        self.rules = rules
        self.key = key
    }

    /// The configured name.
    var name: String? { self.rules.name }

    /// Whether VINs may be published.
    var showsVIN: Bool { self.rules.identity == .vin }

    /// Returns whether the vehicle is expected.
    ///
    /// A vehicle without a VIN is unexpected if the configuration lists VINs.
    func expects(_ vehicle: VehicleIdentity) -> Bool {
        self.rules.expected.isEmpty || self.vin(of: vehicle).map(self.rules.expected.contains) == true
    }

    /// Returns whether the vehicle with this stored mark may be an expected one.
    func expects(mark: String?) -> Bool {
        self.rules.expected.isEmpty || self.rules.expected.contains { [$0.description, self.hash($0)].contains(mark) }
    }

    /// Returns the VIN; if the ECUs disagree, the expected one among theirs.
    private func vin(of vehicle: VehicleIdentity) -> VIN? {
        if let vin = vehicle.vin { return vin }
        let expected = vehicle.vins.intersection(self.rules.expected)
        return expected.count == 1 ? expected.first : nil
    }

    /// Returns the name, the marks and the VIN of a vehicle.
    func identify(_ vehicle: VehicleIdentity) -> Identified {
        guard let vin = self.vin(of: vehicle) else {
            let name = "ecu-\(FNV1a.shortHash(of: vehicle.fingerprint.joined(separator: "\n")))"
            return Identified(name: name, marks: [name])
        }
        let hash = self.hash(vin)
        switch self.rules.identity {
        case .vin: return Identified(name: vin.description, marks: [vin.description, hash], vin: vin)
        case .alias: return Identified(name: self.rules.aliases[vin] ?? hash, marks: [hash, vin.description])
        case .hash: return Identified(name: hash, marks: [hash, vin.description])
        }
    }

    /// Returns the topic level of a vehicle.
    ///
    /// - Parameter mark: the stored mark of the vehicle that owns the configured name; nil if none owns it yet.
    func level(of vehicle: Identified, nameBelongsTo mark: String?) -> String {
        guard let name = self.name else { return vehicle.name }
        // A single expected vehicle owns the configured name.
        let isOwner = mark.map(vehicle.marks.contains) ?? true
        return isOwner || self.rules.expected.count == 1 ? name : vehicle.name
    }

    /// Returns all marks by which the store may know the vehicle with this VIN.
    func marks(of vin: VIN) -> [String] { [vin.description, self.hash(vin)] }

    /// Returns 64 bits of a keyed hash, enough for a fleet.
    ///
    /// Without the key, the VIN cannot be found by trying all VINs.
    private func hash(_ vin: VIN) -> String {
        let code = Digest.authenticationCode(of: Array("obd-agent \(vin)".utf8), key: self.key)
        return "v-" + code.prefix(8).hexadecimal(separator: "", uppercase: false)
    }
}
