// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2

/// The known facts about the vehicle that answers.
package struct VehicleIdentity: Hashable, Sendable {
    package var bus: BusProtocol
    package var dialect: Dialect
    package var ecus: [ECUAddress: ECUIdentity]
    /// Whether the supported parameters of the ECUs are known, as far as the ECUs answer; on J1939 those are the ones
    /// that the ECUs send.
    package var isMapped = false
    /// The VIN that one ECU reports only to a request to itself; nil if service 09 has it, or no ECU.
    var addressedVIN: AddressedVIN?
    /// Whether the ECUs support the functional groups of ISO 14229-1, as J1979-2 demands.
    var knowsGroups = true
    /// Whether the ECUs have the readiness of J1979-2; nil until an ECU has reported it, or none has twice.
    var hasReadiness: Bool?

    package init(bus: BusProtocol, dialect: Dialect = .j1979, ecus: [ECUAddress: ECUIdentity]) {
        self.bus = bus
        self.dialect = dialect
        self.ecus = ecus
    }

    /// The layout of replies in the dialect of SAE J1979, to which replies in other dialects are translated.
    package var layout: MessageLayout { self.bus.isCAN || self.dialect == .j1939 ? .can : .legacy }

    /// The ECU whose values are published under the names of the parameters.
    ///
    /// The primary ECU is the engine's: the first one that supports engine speed. If none does, it is the first ECU.
    package var primary: ECUAddress? {
        let inOrder = self.ecus.sorted { $0.key < $1.key }
        return (inOrder.first { $0.value.supported.contains(0x0C) } ?? inOrder.first)?.key
    }

    /// The VIN, if all ECUs that have one have the same; otherwise nil.
    package var vin: VIN? { self.vins.count == 1 ? self.vins.first : nil }

    /// The VINs that the ECUs report; an ECU from another vehicle may report a different one.
    package var vins: Set<VIN> { Set(self.ecus.values.compactMap(\.vin) + [self.addressedVIN?.vin].compactMap(\.self)) }

    /// The facts that distinguish a vehicle without a VIN from others, in a stable order.
    ///
    /// They are the ECUs with their calibrations. If no ECU reports calibrations, they are the primary ECU and its
    /// supported PIDs up to 20. Of a vehicle without any standard service they are the ECUs that answered the search.
    /// Two vehicles of one model with the same software have the same fingerprint. On J1939 it is the primary ECU
    /// alone: its calibrations are read after the vehicle has got its name.
    package var fingerprint: [String] {
        guard self.dialect.hasStandardServices else {
            return [self.dialect.rawValue] + self.ecus.keys.sorted().map(\.description)
        }
        guard self.dialect != .j1939 else { return [self.primary].compactMap(\.self).map(\.description) }
        let calibrated = self.calibratedECUs.sorted { $0.key < $1.key }
        guard calibrated.isEmpty else {
            return calibrated.map { ecu, calibrations in ([ecu.description] + calibrations).joined(separator: " ") }
        }
        guard let primary = self.primary else { return [] }
        return [primary.description] + (self.ecus[primary].map(Self.firstPIDs) ?? [])
    }

    /// The facts that distinguish the ECUs that answer, by ECU; empty unless they are what distinguishes the vehicle.
    ///
    /// They are the calibrations. If no ECU reports calibrations, they are the supported PIDs up to 20. ECUs may sleep,
    /// so the vehicle may have more of them.
    package var ecuMarks: [ECUAddress: [String]] {
        guard self.vins.isEmpty, self.dialect.hasStandardServices, self.dialect != .j1939 else { return [:] }
        let calibrated = self.calibratedECUs
        guard calibrated.isEmpty else { return calibrated }
        return self.ecus.mapValues(Self.firstPIDs).filter { !$0.value.isEmpty }
    }

    private var calibratedECUs: [ECUAddress: [String]] {
        self.ecus.mapValues(\.calibrationIDs).filter { !$0.value.isEmpty }
    }

    /// The supported PIDs up to 20, which one request reads.
    private static func firstPIDs(of ecu: ECUIdentity) -> [String] {
        ecu.supported.pids.filter { $0 <= 0x20 }.map(\.description)
    }

    /// Whether the vehicle may drive off without an engine, as far as its ECUs show.
    ///
    /// No ECU has an engine speed, or one has values of a traction battery (PIDs 5B and 9A).
    package var drivesElectrically: Bool { !self.supports(0x0C) || self.supports(0x5B) || self.supports(0x9A) }

    /// Whether some ECU supports `pid`.
    package func supports(_ pid: PID) -> Bool {
        self.ecus.values.contains { $0.supported.contains(pid) }
    }
}

extension ProbedVehicle {
    /// Creates the vehicle for trials of the adapter.
    ///
    /// The result is nil if no ECU is known, or if the dialect is not that of SAE J1979.
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

/// The VIN in the answer to a request to one ECU.
struct AddressedVIN: Hashable, Sendable {
    let request: VINRequest
    let vin: VIN
}

/// The known facts about one ECU.
package struct ECUIdentity: Hashable, Sendable {
    package var supported = SupportedPIDs()
    package var vin: VIN?
    package var name: VehicleInformation.ECUName?
    package var calibrationIDs: [String] = []
    package var calibrationVerificationNumbers: [String] = []
    /// The counts of how often the monitors of the ECU have run.
    package var performance: InUsePerformance?
    package var engineSerialNumber: String?
    package var typeApprovalNumber: String?
    /// The InfoTypes of service 09 that the ECU reports to support; nil until it has reported them.
    package var information: [InfoType]?
    /// The InfoTypes that could not be read.
    package var unread: Set<InfoType> = []
    /// The data of PIDs 4F and 50.
    var maxima: [PID: [UInt8]] = [:]

    package init() {}
}
