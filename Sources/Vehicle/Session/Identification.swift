// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

/// Identifies the vehicle: its ECUs, the parameters that they support, and their information from service 09.
struct Identification: Sendable {
    /// The number of damaged answers to the request for the VIN after which the session starts over.
    static let damagedVINLimit = 4
    /// The number of requests for an InfoType that an ECU does not answer.
    static let informationLimit = 2
    /// The InfoTypes that are requested besides the VIN, if the ECUs support them.
    private static let information: [InfoType] = [
        .ecuName, .calibrationIDs, .calibrationVerificationNumbers, .sparkPerformance, .compressionPerformance,
        .engineSerialNumber, .typeApprovalNumber,
    ]
    /// The InfoTypes that are requested from an ECU that does not report which ones it supports.
    private static let usualInformation = Self.information.prefix(3)
    /// The InfoTypes that ECUs on J1939 have in groups of their own.
    private static let groupInformation = Self.usualInformation + [.compressionPerformance]
    /// The errands for the information of ECUs on J1939, besides the VIN.
    static let groupErrands = Self.groupInformation.map(Errand.information)

    private(set) var identity: VehicleIdentity
    /// Whether the vehicle is identified, or is known not to identify itself.
    private(set) var isIdentified = false
    /// The requests for the parameters of the ECUs, and for the scales of their values.
    private(set) var mapping = ECUMapping()
    private var readinessAttempts = 0
    private var vinAttempts = 0
    private var informationAttempts: [InfoType: Int] = [:]
    private var damagedVINs = 0
    /// A VIN with a wrong check digit that has been read once.
    private var doubtfulVIN: VIN?
    /// Whether the vehicle has no VIN, and the calibrations that identify it instead are being read.
    private var lacksVIN = false
    /// The requests to single ECUs for the VIN that are still to be sent, the next one first.
    private var vinRequests: ArraySlice<VINRequest>
    /// Whether the present one of these requests is repeated.
    private var repeatsVINRequest = false
    private let needsVIN: Bool
    /// Whether the vehicle needs a VIN, and no ECU has reported one.
    private(set) var lacksNeededVIN = false

    /// - Parameters:
    ///   - report: the result of start-up; its ECUs have answered its requests.
    ///   - vinRequests: the requests to single ECUs for the VIN, for a vehicle whose ECUs do not have it by service 09.
    ///   - needsVIN: whether the vehicle needs a VIN.
    init(_ report: AdapterReport, _ vinRequests: [VINRequest] = [], needsVIN: Bool = false) {
        self.needsVIN = needsVIN
        self.vinRequests = vinRequests[...]
        self.identity = VehicleIdentity(bus: report.bus, dialect: report.dialect, ecus: [:])
        self.identity.isMapped = report.dialect == .j1939 || !report.dialect.hasStandardServices
        for (ecu, messages) in report.ecus {
            var ecuIdentity = ECUIdentity()
            for message in (try? self.identity.classic(messages, to: .currentData(0x00))) ?? [] {
                try? ecuIdentity.supported.merge(base: 0x00, bitmap: Array(message.dropFirst(2)))
            }
            self.identity.ecus[ecu] = ecuIdentity
        }
    }

    /// Whether the vehicle cannot be identified in this session.
    var isHopeless: Bool { self.damagedVINs >= Self.damagedVINLimit }

    // MARK: - ECUs and their parameters

    enum ECUsAction: Hashable, Sendable {
        /// All ECUs that answered are known.
        case known
        /// A new ECU answered: its earlier answers were damaged, or it was slow to start. Its bitmaps are requested.
        case ask(Errand)
    }

    /// Adds the ECUs that answered for the first time.
    mutating func ecusAnswered(_ answers: [ECUAddress: ECUReply]) -> ECUsAction {
        var action = ECUsAction.known
        guard self.identity.dialect.hasStandardServices else { return action }
        for (ecu, answer) in answers where self.identity.ecus[ecu] == nil {
            guard case .positive = answer else { continue }
            self.identity.ecus[ecu] = ECUIdentity()
            // On J1939 an ECU supports the parameters that it has sent.
            guard self.identity.dialect != .j1939 else { continue }
            self.mapping.begin()
            action = .ask(.supportedPIDs(0x00))
        }
        return action
    }

    enum ValuesAction: Hashable, Sendable {
        /// The ECU has sent all of these parameters before.
        case known
        /// The ECU has sent a parameter for the first time.
        case news
    }

    /// Adds the parameters that an ECU on J1939 has sent.
    mutating func valuesReceived(_ values: [FieldValue], from ecu: ECUAddress) -> ValuesAction {
        let before = self.identity.ecus[ecu]?.supported
        for value in values {
            guard let parameter = Parameter.named(value.field.name) else { continue }
            self.identity.ecus[ecu]?.supported.insert(parameter.pid)
        }
        return self.identity.ecus[ecu]?.supported == before ? .known : .news
    }

    /// Notes that the ECUs do not support the functional groups of ISO 14229-1.
    mutating func knowsNoGroups() { self.identity.knowsGroups = false }

    /// Notes whether an ECU has answered the request for the readiness of J1979-2.
    ///
    /// - Returns: whether PID 01 has to be requested once more, in another way if two requests were not answered.
    mutating func readinessReceived(isAnswered: Bool) -> Bool {
        if isAnswered { self.identity.hasReadiness = true }
        guard self.identity.hasReadiness == nil else { return false }
        self.readinessAttempts += 1
        if self.readinessAttempts >= 2 { self.identity.hasReadiness = false }
        return true
    }

    /// Takes over the answer to the request for the bitmap `base`.
    mutating func bitmapReceived(_ base: PID, _ answer: ErrandAnswer, at now: MonotonicTime) -> ECUMapping.BitmapAction
    {
        self.mapping.answered(base, answer, from: &self.identity, at: now)
    }

    /// Takes over the replies to the request for maxima.
    mutating func maximaReceived(
        _ pid: PID,
        _ replies: [ECUAddress: Reply],
        at now: MonotonicTime
    ) -> ECUMapping.MaximaAction {
        self.mapping.answered(pid, replies, from: &self.identity, at: now)
    }

    /// Takes over the bitmaps of a known vehicle, if that is the one that answers.
    ///
    /// - Returns: whether the vehicle is the known one.
    mutating func recognize(_ known: KnownVehicle) -> Bool {
        guard !self.identity.isMapped, known.fits(self.identity) else { return false }
        for (ecu, supported) in known.ecus { self.identity.ecus[ecu]?.supported = supported }
        self.mapping.recognized(&self.identity)
        return true
    }

    // MARK: - Vehicle information

    /// Whether the VIN is requested without setting the adapter to the long timeout first.
    ///
    /// On CAN the answer usually arrives within the usual timeout. If it does not, the long timeout follows.
    var asksVINQuickly: Bool {
        self.identity.bus.isCAN && !self.isIdentified && self.vinAttempts == 0 && self.damagedVINs == 0
    }

    enum VINAction: Hashable, Sendable {
        case askAgain
        /// The vehicle does not report its VIN. This errand identifies it instead.
        case ask(Errand)
        /// The vehicle needs a VIN, and no ECU has one.
        case unidentified
        /// The vehicle is identified.
        ///
        /// - `asksLater`: whether the VIN is missing, and is requested once more in idle time.
        case identified(asksLater: Bool)
    }

    /// Takes over the replies to the request for the VIN.
    ///
    /// A damaged VIN does not count as absent, because data must never be published under a wrong name.
    mutating func vinReceived(_ replies: [ECUAddress: Reply], isDamaged: Bool) -> VINAction {
        let layout = self.identity.layout
        for (ecu, reply) in replies {
            self.identity.ecus[ecu]?.vin = try? VehicleInformation.vin(reply, layout: layout)
        }
        if self.identity.vin == nil && isDamaged && !self.isIdentified {
            self.damagedVINs += 1
            return .askAgain
        }
        // A character may have been corrupted in transit. If the same wrong VIN arrives twice, the vehicle has it.
        if !self.isIdentified, let vin = self.identity.vin, vin.checkDigit == .wrong, vin != self.doubtfulVIN {
            self.damagedVINs += 1
            self.doubtfulVIN = vin
            for ecu in self.identity.ecus.keys { self.identity.ecus[ecu]?.vin = nil }
            return .askAgain
        }
        self.vinAttempts += 1
        // The VIN is requested once more at once, and once in idle time. Without it the vehicle gets another name.
        if self.identity.vin == nil && self.vinAttempts == 1 { return .askAgain }
        if self.identity.vin == nil, !self.isIdentified, self.identity.dialect != .j1939 {
            return self.nextVINRequest()
        }
        self.isIdentified = true
        return .identified(asksLater: self.identity.vin == nil && self.vinAttempts == 2)
    }

    /// Returns the next request for the VIN, or for what identifies the vehicle instead.
    private mutating func nextVINRequest() -> VINAction {
        self.repeatsVINRequest = false
        // ECUs that disagree about the VIN have one. A further one would not decide.
        if self.identity.vins.isEmpty, let next = self.vinRequests.first { return .ask(.addressedVIN(next)) }
        if self.needsVIN, self.identity.vins.isEmpty {
            self.lacksNeededVIN = true
            return .unidentified
        }
        if self.identity.dialect.hasStandardServices {
            self.lacksVIN = true
            return .ask(.information(.calibrationIDs))
        }
        self.isIdentified = true
        return .identified(asksLater: false)
    }

    /// Takes over the answer of one ECU to the request for the VIN.
    mutating func vinReceived(_ result: BusResult, to request: VINRequest) -> VINAction {
        if let vin = VehicleIdentity.vin(in: result, to: request) {
            if vin.checkDigit == .wrong, vin != self.doubtfulVIN {
                self.damagedVINs += 1
                self.doubtfulVIN = vin
                return .askAgain
            }
            self.identity.addressedVIN = AddressedVIN(request: request, vin: vin)
            self.isIdentified = true
            return .identified(asksLater: false)
        }
        let isRefused: Bool
        switch result.outcome {
        case .answered(let answers):
            isRefused = answers.values.allSatisfy { if case .negative = $0 { true } else { false } }
        case .noData: isRefused = false
        default: isRefused = true
        }
        // A damaged answer or a lost one must not give the vehicle another name.
        if !isRefused, !self.repeatsVINRequest {
            self.repeatsVINRequest = true
            return .askAgain
        }
        self.vinRequests.removeFirst()
        return self.nextVINRequest()
    }

    enum InformationAction: Hashable, Sendable {
        case proceed
        case askAgain
        /// The ECUs have reported their InfoTypes, which are requested next.
        case ask([Errand])
        /// The vehicle is identified without a VIN, which is requested once more in idle time.
        case identified
    }

    /// Takes over the answer to the request for an InfoType other than the VIN.
    mutating func informationReceived(_ type: InfoType, _ answer: ErrandAnswer) -> InformationAction {
        var isComplete = true
        for ecu in self.identity.ecus.keys {
            switch answer.result(of: ecu) {
            case .reply(let reply) where self.merge(type, reply, ecu): self.identity.ecus[ecu]?.unread.remove(type)
            case .silent where !self.announces(type, ecu), .notSupported where !self.announces(type, ecu): continue
            case .reply, .silent, .notSupported, .refused, .unreadable:
                isComplete = false
                self.identity.ecus[ecu]?.unread.insert(type)
            }
        }
        if self.lacksVIN, type == .calibrationIDs {
            // The answer of a silent ECU may be lost. Without its calibrations the vehicle would count as another one.
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
            guard self.identity.dialect != .j1939 else { return Self.groupInformation.contains(type) }
            let isSupported = ecus.contains { $0.information?.contains(type) ?? Self.usualInformation.contains(type) }
            // In J1979-2 the other InfoTypes have another layout.
            return isSupported && (self.identity.dialect == .j1979 || Self.usualInformation.contains(type))
        }
        return .ask(types.map(Errand.information))
    }

    private func announces(_ type: InfoType, _ ecu: ECUAddress) -> Bool {
        self.identity.ecus[ecu]?.information?.contains(type) == true
    }

    /// Takes over the reply of an ECU.
    ///
    /// - Returns: whether the reply could be read.
    private mutating func merge(_ type: InfoType, _ reply: Reply, _ ecu: ECUAddress) -> Bool {
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
                .sparkPerformanceMessageCount, .ecuNameMessageCount, .engineSerialNumberMessageCount,
                .typeApprovalNumberMessageCount:
                return true
            }
        } catch {
            // The reply is readable, and its value is empty.
            return error == .notProgrammed
        }
        self.identity.ecus[ecu] = known
        return true
    }
}
