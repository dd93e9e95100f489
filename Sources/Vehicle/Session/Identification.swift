// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import OBD2

/// Who the vehicle is: its ECUs, the parameters that they support, and what service 09 tells of them.
struct Identification: Sendable {
    /// After so many damaged answers to the question for the VIN the session begins anew.
    static let damagedVINLimit = 4
    /// How often a bitmap is asked that an ECU announces and does not answer.
    static let bitmapLimit = 2
    /// How often an InfoType is asked that an ECU leaves open.
    static let informationLimit = 2
    /// What is asked of service 09 where the ECUs have it, beside the VIN.
    private static let information: [InfoType] = [
        .ecuName, .calibrationIDs, .calibrationVerificationNumbers, .sparkPerformance, .compressionPerformance,
        .engineSerialNumber, .typeApprovalNumber,
    ]
    /// What is asked of an ECU that does not tell what it has.
    private static let usualInformation = Self.information.prefix(3)

    private(set) var identity: VehicleIdentity
    /// Whether the VIN was asked, so that it is known which vehicle this is, or that it does not tell.
    private(set) var isIdentified = false
    private var bitmapAttempts: [PID: Int] = [:]
    private var vinAttempts = 0
    private var informationAttempts: [InfoType: Int] = [:]
    private var damagedVINs = 0
    /// A VIN whose check digit is wrong, and that was read once so far.
    private var doubtfulVIN: VIN?
    /// Whether there is no VIN, and it is being found out what else tells this vehicle from others.
    private var lacksVIN = false

    /// - Parameter report: what start-up found; its ECUs have answered PID 00.
    init(_ report: AdapterReport) {
        self.identity = VehicleIdentity(bus: report.bus, dialect: report.dialect, ecus: [:])
        self.identity.isMapped = report.dialect == .j1939
        for (ecu, messages) in report.ecus {
            var ecuIdentity = ECUIdentity()
            for message in (try? self.identity.classic(messages, to: .currentData(0x00))) ?? [] {
                try? ecuIdentity.supported.merge(base: 0x00, bitmap: Array(message.dropFirst(2)))
            }
            self.identity.ecus[ecu] = ecuIdentity
        }
    }

    /// Whether it can't be found out which vehicle this is.
    var isHopeless: Bool { self.damagedVINs >= Self.damagedVINLimit }

    // MARK: - ECUs and their parameters

    enum MetAction: Hashable, Sendable {
        case known
        /// ECUs that were not heard so far, because their answers were damaged or they were slow to start.
        case ask(Errand)
    }

    /// ECUs answered.
    mutating func met(_ answers: [ECUAddress: ECUReply]) -> MetAction {
        var action = MetAction.known
        for (ecu, answer) in answers where self.identity.ecus[ecu] == nil {
            guard case .positive = answer else { continue }
            self.identity.ecus[ecu] = ECUIdentity()
            // On J1939 an ECU has what it is heard to say.
            guard self.identity.dialect != .j1939 else { continue }
            self.bitmapAttempts = [:]
            action = .ask(.supportedPIDs(0x00))
        }
        return action
    }

    enum HeardAction: Hashable, Sendable {
        case known
        /// An ECU has parameters that it was not heard to say before.
        case news
    }

    /// An ECU on J1939 said these values.
    mutating func heard(_ values: [FieldValue], from ecu: ECUAddress) -> HeardAction {
        let before = self.identity.ecus[ecu]?.supported
        for value in values {
            guard let parameter = Parameter.named(value.field.name) else { continue }
            self.identity.ecus[ecu]?.supported.insert(parameter.pid)
        }
        return self.identity.ecus[ecu]?.supported == before ? .known : .news
    }

    /// The ECUs do not know the functional groups of ISO 14229-1.
    mutating func knowsNoGroups() { self.identity.knowsGroups = false }

    enum BitmapAction: Hashable, Sendable {
        case ask(Errand)
        case complete
    }

    /// The bitmap `base` was asked.
    mutating func merge(base: PID, _ replies: [ECUAddress: Reply]) -> BitmapAction {
        for (ecu, reply) in replies {
            try? self.identity.ecus[ecu]?.supported.merge(base: base, bitmap: reply.data)
        }
        self.bitmapAttempts[base, default: 0] += 1
        // Announced by some ECU and not answered, though not for ever.
        let next = self.identity.ecus.values.compactMap(\.supported.nextBitmap)
            .filter { self.bitmapAttempts[$0, default: 0] < Self.bitmapLimit }.min()
        if let next { return .ask(.supportedPIDs(next)) }
        self.identity.isMapped = true
        return .complete
    }

    // MARK: - Vehicle information

    /// Whether the VIN is asked for without turning the adapter to long answers first.
    ///
    /// On CAN it is there in the usual time, as a rule; whoever takes longer is asked again with patience.
    var asksVINQuickly: Bool {
        self.identity.bus.isCAN && !self.isIdentified && self.vinAttempts == 0 && self.damagedVINs == 0
    }

    enum VINAction: Hashable, Sendable {
        case askAgain
        /// It does not tell its VIN: this tells it from others.
        case ask(Errand)
        /// The vehicle is known; where it did not tell its VIN it may be asked once more when there is time.
        case identified(asksLater: Bool)
    }

    /// The VIN was asked.
    ///
    /// Damaged is not the same as absent: under the wrong name nothing may be said of any vehicle.
    mutating func told(vin replies: [ECUAddress: Reply], isDamaged: Bool) -> VINAction {
        let layout = self.identity.layout
        for (ecu, reply) in replies {
            self.identity.ecus[ecu]?.vin = try? VehicleInformation.vin(reply, layout: layout)
        }
        if self.identity.vin == nil && isDamaged && !self.isIdentified {
            self.damagedVINs += 1
            return .askAgain
        }
        // A character may have changed on the way. What is wrong twice in the same way is wrong in the vehicle.
        if !self.isIdentified, let vin = self.identity.vin, vin.checkDigit == .wrong, vin != self.doubtfulVIN {
            self.damagedVINs += 1
            self.doubtfulVIN = vin
            for ecu in self.identity.ecus.keys { self.identity.ecus[ecu]?.vin = nil }
            return .askAgain
        }
        self.vinAttempts += 1
        // Once more at once, and once when there is time: without it the vehicle has another name.
        if self.identity.vin == nil && self.vinAttempts == 1 { return .askAgain }
        if self.identity.vin == nil, !self.isIdentified, self.identity.dialect != .j1939 {
            self.lacksVIN = true
            return .ask(.information(.calibrationIDs))
        }
        self.isIdentified = true
        return .identified(asksLater: self.identity.vin == nil && self.vinAttempts == 2)
    }

    enum InformationAction: Hashable, Sendable {
        case proceed
        case askAgain
        /// It is known now what there is to ask.
        case ask([Errand])
        /// The vehicle is known though it does not tell its VIN; it may be asked once more when there is time.
        case identified
    }

    /// Something else of service 09 was asked.
    mutating func told(_ type: InfoType, _ answer: ErrandAnswer) -> InformationAction {
        var isComplete = true
        for ecu in self.identity.ecus.keys {
            switch answer.told(by: ecu) {
            case .reply(let reply) where self.take(type, reply, ecu): self.identity.ecus[ecu]?.unread.remove(type)
            case .silent where !self.announces(type, ecu), .notSupported where !self.announces(type, ecu): continue
            case .reply, .silent, .notSupported, .refused, .unreadable:
                isComplete = false
                self.identity.ecus[ecu]?.unread.insert(type)
            }
        }
        if self.lacksVIN, type == .calibrationIDs {
            // Who is silent may have been heard badly, and would make it another vehicle.
            isComplete = self.identity.ecus.values.allSatisfy { !$0.calibrationIDs.isEmpty }
        }
        self.informationAttempts[type, default: 0] += 1
        if !isComplete, self.informationAttempts[type, default: 0] < Self.informationLimit { return .askAgain }
        self.informationAttempts[type] = nil
        if self.lacksVIN, type == .calibrationIDs {
            (self.lacksVIN, self.isIdentified) = (false, true)
            return .identified
        }
        guard type == .supported else { return .proceed }
        let ecus = self.identity.ecus.values
        let types = Self.information.filter { type in
            let isTold = ecus.contains { $0.information?.contains(type) ?? Self.usualInformation.contains(type) }
            // In other dialects the rest is laid out otherwise.
            return isTold && (self.identity.dialect == .j1979 || Self.usualInformation.contains(type))
        }
        return .ask(types.map(Errand.information))
    }

    private func announces(_ type: InfoType, _ ecu: ECUAddress) -> Bool {
        self.identity.ecus[ecu]?.information?.contains(type) == true
    }

    /// Takes what an ECU told; false if it can't be read.
    private mutating func take(_ type: InfoType, _ reply: Reply, _ ecu: ECUAddress) -> Bool {
        guard var known = self.identity.ecus[ecu] else { return true }
        let layout = self.identity.layout
        do throws(DecodingError) {
            switch type {
            case .supported:
                known.information = try VehicleInformation.supported(reply, layout: layout)
            case .ecuName:
                known.name = try VehicleInformation.ecuName(reply, layout: layout)
            case .calibrationIDs:
                known.calibrationIDs = try VehicleInformation.calibrationIDs(reply, layout: layout)
            case .calibrationVerificationNumbers:
                known.calibrationVerificationNumbers =
                    try VehicleInformation.calibrationVerificationNumbers(reply, layout: layout)
            case .sparkPerformance, .compressionPerformance:
                known.performance = try VehicleInformation.inUsePerformance(reply, layout: layout)
            case .engineSerialNumber:
                known.engineSerialNumber = try VehicleInformation.number(reply, layout: layout)
            case .typeApprovalNumber:
                known.typeApprovalNumber = try VehicleInformation.number(reply, layout: layout)
            case .vin, .vinMessageCount, .calibrationIDMessageCount, .calibrationVerificationNumberMessageCount,
                .sparkPerformanceMessageCount, .ecuNameMessageCount:
                return true
            }
        } catch {
            // Read, and empty.
            return error == .notProgrammed
        }
        self.identity.ecus[ecu] = known
        return true
    }
}
