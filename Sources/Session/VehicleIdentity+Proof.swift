// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import OBD2

// The proof that the vehicle on the bus is still the one that was identified.
extension VehicleIdentity {
    /// The shortest request whose reply tells this vehicle from others.
    ///
    /// The VIN; where no ECU has one, the calibrations or, without those, the PIDs that are supported up to 20.
    var proofRequest: Request {
        if !self.vins.isEmpty { return .vehicleInformation(.vin) }
        let hasCalibrations = self.ecus.values.contains { !$0.calibrationIDs.isEmpty }
        return hasCalibrations ? .vehicleInformation(.calibrationIDs) : .currentData(0x00)
    }

    /// Compares the outcome of ``proofRequest`` with what identified the vehicle.
    ///
    /// - Parameter outcome: in the words of SAE J1979.
    func proof(by outcome: BusOutcome) -> VehicleProof {
        guard case .answered(let answers) = outcome else { return .unreadable }
        let request = self.proofRequest
        var replies: [ECUAddress: Reply] = [:]
        for case (let ecu, .positive(let messages)) in answers {
            replies[ecu] = try? Reply(messages: messages, to: request)
        }
        guard self.vins.isEmpty else {
            let vins = Set(replies.values.compactMap { try? VehicleInformation.vin($0, layout: self.layout) })
            guard !vins.isEmpty else { return .unreadable }
            return vins.isSubset(of: self.vins) ? .same : .other
        }
        return request == .currentData(0x00) ? self.proof(bySupported: replies) : self.proof(byCalibrations: replies)
    }

    /// Every ECU that has calibrations must name the same ones again.
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

    /// The primary ECU must support the same PIDs up to 20.
    private func proof(bySupported replies: [ECUAddress: Reply]) -> VehicleProof {
        guard let primary = self.primary, let reply = replies[primary] else { return .unreadable }
        var found = SupportedPIDs()
        guard (try? found.merge(base: 0x00, bitmap: reply.data)) != nil else { return .unreadable }
        let known = self.ecus[primary]?.supported.pids.filter { $0 <= 0x20 }
        return known == found.pids.filter { $0 <= 0x20 } ? .same : .other
    }
}
