// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Configuration
import Contract
import JOSE
import OBD2
import Session

/// What vehicles are called in topics, and which of them are to be read.
struct VehicleNaming: Sendable {
    /// What is known of a vehicle by which it is told from others.
    struct Identified: Hashable, Sendable {
        /// Its topic level, where the configured name is not its own.
        var name: String
        /// What it may be remembered as, the first is how it is remembered from now on.
        var marks: [String]
        /// Its VIN, where that may be shown.
        var vin: VIN?
    }

    /// The topics of the agent itself, where it has no vehicle.
    let own: String
    private let rules: Configuration.Vehicle
    private let key: [UInt8]

    /// - Parameter key: the secret of the hashes, see ``NamingKey``.
    init(_ rules: Configuration.Vehicle, _ machine: MachineIdentity, key: [UInt8]) {
        self.own = "agent-\(machine.agent)"
        self.rules = rules
        self.key = key
    }

    /// The configured name.
    var name: String? { self.rules.name }

    /// Whether VINs may be shown.
    var showsVIN: Bool { self.rules.identity == .vin }

    /// Whether the vehicle is to be read: one that tells no VIN is none of those that are expected by theirs.
    func expects(_ vehicle: VehicleIdentity) -> Bool {
        self.rules.expected.isEmpty || self.vin(of: vehicle).map(self.rules.expected.contains) == true
    }

    /// Whether a vehicle that is remembered so may be the present one, as far as anybody can tell.
    func expects(mark: String?) -> Bool {
        self.rules.expected.isEmpty || self.rules.expected.contains { [$0.description, self.hash($0)].contains(mark) }
    }

    /// The VIN; where ECUs disagree, the one that is expected.
    private func vin(of vehicle: VehicleIdentity) -> VIN? {
        if let vin = vehicle.vin { return vin }
        let expected = vehicle.vins.intersection(self.rules.expected)
        return expected.count == 1 ? expected.first : nil
    }

    /// Who a vehicle is.
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

    /// The level of a vehicle's topics.
    ///
    /// - Parameter mark: what the vehicle is remembered as that the configured name belongs to; nil: nobody's yet.
    func level(of vehicle: Identified, nameBelongsTo mark: String?) -> String {
        guard let name = self.name else { return vehicle.name }
        // Where somebody says which vehicle is to be read, the name is its.
        let isOwner = mark.map(vehicle.marks.contains) ?? true
        return isOwner || self.rules.expected.count == 1 ? name : vehicle.name
    }

    /// Whatever a vehicle of this VIN may be remembered as.
    func marks(of vin: VIN) -> [String] { [vin.description, self.hash(vin)] }

    /// 64 bits, enough for a fleet: without the key nobody can find the VIN by trying all.
    private func hash(_ vin: VIN) -> String {
        let code = Digest.authenticationCode(of: Array("obd-agent \(vin)".utf8), key: self.key)
        return "v-" + code.prefix(8).hexadecimal(separator: "", uppercase: false)
    }
}
