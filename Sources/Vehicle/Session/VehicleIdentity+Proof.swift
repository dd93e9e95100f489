// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import OBD2

// The proof that the vehicle on the bus is still the one that was identified.
extension VehicleIdentity {
    /// The shortest request whose answer distinguishes this vehicle from others.
    ///
    /// The request is for the VIN, at the one ECU that has it if service 09 does not. If no ECU has a VIN, the request
    /// is for the calibrations. Without calibrations the request is for the supported PIDs up to 20.
    var proofErrand: Errand {
        if let addressedVIN { return .addressedVIN(addressedVIN.request) }
        if !self.vins.isEmpty { return .identityProof(.vin) }
        let hasCalibrations = self.ecus.values.contains { !$0.calibrationIDs.isEmpty }
        return .identityProof(hasCalibrations ? .calibrationIDs : nil)
    }

    /// Compares the result of ``proofErrand`` with what identified the vehicle.
    func proof(by result: BusResult) -> VehicleProof {
        if let addressedVIN {
            guard let vin = Self.vin(in: result, to: addressedVIN.request) else { return .unreadable }
            return vin == addressedVIN.vin ? .same : .other
        }
        let request = self.proofErrand.request
        guard case .answered(let answers) = self.classic(result, to: request).outcome else { return .unreadable }
        var replies: [ECUAddress: Reply] = [:]
        for case (let ecu, .positive(let messages)) in answers {
            replies[ecu] = try? Reply(messages: messages, to: request)
        }
        guard self.vins.isEmpty else {
            let vins = replies.compactMapValues { try? VehicleInformation.vin($0, layout: self.layout) }
            guard !vins.isEmpty else { return .unreadable }
            // An ECU from another vehicle may report the VIN of that vehicle, so each ECU must repeat its own answer.
            let isSame = vins.allSatisfy { ecu, vin in
                self.ecus[ecu]?.vin.map { $0 == vin } ?? self.vins.contains(vin)
            }
            return isSame ? .same : .other
        }
        return request == .currentData(0x00) ? self.proof(bySupported: replies) : self.proof(byCalibrations: replies)
    }

    /// Returns the VIN in the answer of the ECU; nil if there is none, or it is damaged.
    static func vin(in result: BusResult, to request: VINRequest) -> VIN? {
        guard case .answered(let answers) = result.outcome, answers.count == 1,
            case .positive(let messages) = answers.values.first, messages.count == 1
        else { return nil }
        return try? request.vin(in: messages[0])
    }

    /// Compares the calibrations: every ECU that has some must report the same ones again.
    private func proof(byCalibrations replies: [ECUAddress: Reply]) -> VehicleProof {
        var proof = VehicleProof.same
        for (ecu, known) in self.ecus where !known.calibrationIDs.isEmpty {
            guard let reply = replies[ecu],
                let found = try? VehicleInformation.calibrationIDs(reply, layout: self.layout)
            else {
                proof = .unreadable
                continue
            }
            guard found == known.calibrationIDs else { return .other }
        }
        return proof
    }

    /// Compares the supported PIDs: the primary ECU must support the same ones up to 20.
    private func proof(bySupported replies: [ECUAddress: Reply]) -> VehicleProof {
        guard let primary = self.primary, let reply = replies[primary] else { return .unreadable }
        var found = SupportedPIDs()
        guard (try? found.merge(base: 0x00, bitmap: reply.data)) != nil else { return .unreadable }
        let known = self.ecus[primary]?.supported.pids.filter { $0 <= 0x20 }
        return known == found.pids.filter { $0 <= 0x20 } ? .same : .other
    }
}
