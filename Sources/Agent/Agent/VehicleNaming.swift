// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import Contract
import ELM327
import EventLoop
import JOSE
import OBD2
import Session
import Store

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
        /// The ECUs by which the vehicle is known too, and which do not answer now.
        var silent: [String] = []
    }

    /// The first characters of the name of a vehicle without a VIN, and of its mark.
    static let prefixWithoutVIN = "ecu-"

    /// The topic level of the agent itself, while it has no vehicle.
    let own: String
    private let rules: Configuration.Vehicle
    private let key: [UInt8]
    /// The known vehicles without a VIN.
    private let withoutVIN = Locked(VehiclesWithoutVIN())

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
            let hash = FNV1a.shortHash(of: vehicle.fingerprint.joined(separator: "\n"))
            let ecus = vehicle.ecuMarksByName
            return self.withoutVIN.withLock { known in
                let name = known.mark(of: ecus, own: Self.prefixWithoutVIN + hash)
                return Identified(name: name, marks: [name], silent: known.silent(of: name, answering: ecus))
            }
        }
        let hash = self.hash(vin)
        switch self.rules.identity {
        case .vin: return Identified(name: vin.description, marks: [vin.description, hash], vin: vin)
        case .alias: return Identified(name: self.rules.aliases[vin] ?? hash, marks: [hash, vin.description])
        case .hash: return Identified(name: hash, marks: [hash, vin.description])
        }
    }

    // MARK: - Vehicles without a VIN

    /// Takes over the vehicles without a VIN that earlier processes knew, the one that was identified last first.
    func restore(_ vehicles: [VehiclesWithoutVIN.Vehicle]) { self.withoutVIN.withLock { $0.restore(vehicles) } }

    /// Takes over the ECUs of a vehicle that was identified.
    ///
    /// - Returns: the state by which the next process knows the vehicle; nil if it has a VIN, or nothing distinguishes its ECUs.
    func learn(_ vehicle: VehicleIdentity, as found: Identified) -> StoredState? {
        let ecus = vehicle.ecuMarksByName
        guard !ecus.isEmpty, let mark = found.marks.first else { return nil }
        let known = self.withoutVIN.withLock { $0.identified(as: mark, ecus) }
        return StoredState(.calibrations, VehiclesWithoutVIN.Vehicle.stored(known))
    }

    /// The session has ended, or another one begins.
    func sessionEnded() { self.withoutVIN.withLock { $0.sessionEnded() } }

    // MARK: - Topics

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

extension VehicleIdentity {
    /// The facts that distinguish the ECUs of a vehicle without a VIN, by the names of the ECUs.
    fileprivate var ecuMarksByName: [String: [String]] {
        Dictionary(self.ecuMarks.map { ($0.key.description, $0.value) }) { first, _ in first }
    }
}
