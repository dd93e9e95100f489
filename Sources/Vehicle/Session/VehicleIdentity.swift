// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2

/// What is known of the vehicle that answers.
package struct VehicleIdentity: Hashable, Sendable {
    package var bus: BusProtocol
    package var dialect: Dialect
    package var ecus: [ECUAddress: ECUIdentity]
    /// Whether it is known what its ECUs support; on J1939 that is what they are heard to say.
    package var isMapped = false
    /// Whether its ECUs know the functional groups of ISO 14229-1, as those of J1979-2 should.
    var knowsGroups = true

    package init(bus: BusProtocol, dialect: Dialect = .j1979, ecus: [ECUAddress: ECUIdentity]) {
        self.bus = bus
        self.dialect = dialect
        self.ecus = ecus
    }

    /// How replies are laid out, those of other dialects in the words of SAE J1979.
    package var layout: MessageLayout { self.bus.isCAN || self.dialect == .j1939 ? .can : .legacy }

    /// The ECU that owns the parameters' topics: the engine's, which knows engine speed; else the first.
    package var primary: ECUAddress? {
        let inOrder = self.ecus.sorted { $0.key < $1.key }
        return (inOrder.first { $0.value.supported.contains(0x0C) } ?? inOrder.first)?.key
    }

    /// The VIN, where every ECU that has one has the same.
    package var vin: VIN? { self.vins.count == 1 ? self.vins.first : nil }

    /// What ECUs say that the VIN is: one that comes from another vehicle may disagree with the others.
    package var vins: Set<VIN> { Set(self.ecus.values.compactMap(\.vin)) }

    /// What tells a vehicle without a VIN from others, in an order that is always the same.
    ///
    /// Its ECUs with their calibrations or, where none tells those, the engine's with what it supports. Two vehicles of
    /// one model with the same software have the same.
    package var fingerprint: [String] {
        let told = self.ecus.filter { !$0.value.calibrationIDs.isEmpty }.sorted { $0.key < $1.key }
        guard told.isEmpty else {
            return told.map { ecu, known in ([ecu.description] + known.calibrationIDs).joined(separator: " ") }
        }
        guard let primary = self.primary else { return [] }
        // On J1939 an ECU has what it was heard to say so far.
        let known = self.dialect == .j1939 ? [] : self.ecus[primary]?.supported.pids.filter { $0 <= 0x20 } ?? []
        return [primary.description] + known.map(\.description)
    }

    /// Whether some ECU supports `pid`.
    package func supports(_ pid: PID) -> Bool {
        self.ecus.values.contains { $0.supported.contains(pid) }
    }
}

extension ProbedVehicle {
    /// What a vehicle that is known so far offers to try an adapter with; nil where no ECU is known, or none that the
    /// trials could ask in the words of SAE J1979.
    package init?(_ identity: VehicleIdentity) {
        guard identity.dialect == .j1979, let primary = identity.primary,
            let supported = identity.ecus[primary]?.supported
        else { return nil }
        let usual: [PID] = [0x0C, 0x0D, 0x05, 0x04, 0x0F, 0x11, 0x0B, 0x10]
        let pids = usual.filter { supported.contains($0) }.compactMap { pid in
            Parameter.withPID(pid)?.length.map { (pid: pid.rawValue, length: $0.upperBound) }
        }
        self.init(
            primary: primary,
            pids: Array(pids.prefix(2)),
            hasVIN: identity.ecus[primary]?.vin != nil,
            hasVoltage: supported.contains(0x42)
        )
    }
}

/// What is known of one ECU.
package struct ECUIdentity: Hashable, Sendable {
    package var supported = SupportedPIDs()
    package var vin: VIN?
    package var name: VehicleInformation.ECUName?
    package var calibrationIDs: [String] = []
    package var calibrationVerificationNumbers: [String] = []
    /// How often its monitors have run.
    package var performance: InUsePerformance?
    package var engineSerialNumber: String?
    package var typeApprovalNumber: String?
    /// What it says that service 09 has; nil until it has said so.
    package var information: [InfoType]?
    /// What of that could not be read.
    package var unread: Set<InfoType> = []

    package init() {}
}
