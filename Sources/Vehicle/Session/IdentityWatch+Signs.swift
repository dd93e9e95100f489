// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

// The signs of a move in the answers of a vehicle, and the proofs of its identity.
extension IdentityWatch {
    /// Returns the time of the next proof without a sign of a move.
    func nextProof(of vehicle: VehicleIdentity, at now: MonotonicTime) -> MonotonicTime {
        let next = self.next(vehicle.dialect) ?? now + Self.interval.usual
        return next > now || vehicle.canProve ? next : now + Self.interval.usual
    }

    /// Takes over the result of a proof of the identity.
    ///
    /// Silence proves nothing. It is counted, and PID 01 is requested to see whether any ECU still answers.
    mutating func proved(_ result: BusResult, of vehicle: VehicleIdentity, at now: MonotonicTime) {
        switch result.outcome {
        case .noData, .busUnavailable: self.doubt()
        default: self.answered(vehicle.proof(by: result), at: now)
        }
    }

    /// Counts the proof as failed if other ECUs answer, and the one with the VIN does not.
    ///
    /// With standard services PID 01 shows that.
    mutating func proofMissed(
        besides question: SessionAgenda.Question,
        of vehicle: VehicleIdentity,
        at now: MonotonicTime
    ) {
        guard !vehicle.dialect.hasStandardServices, case .poll = question, self.isInDoubt else { return }
        self.failed(at: now)
    }

    /// Looks for signs of a move in the values of the vehicle.
    mutating func eventsReceived(_ events: [SessionEvent], of vehicle: VehicleIdentity) {
        for case .samples(let samples) in events {
            for sample in samples where sample.ecu == vehicle.primary {
                guard case .number(let value) = sample.value.value else { continue }
                self.valueReceived(sample.value.field.name, value)
            }
        }
    }

    /// Counts silence as a sign of a move if an ECU has answered the question before, or must answer it.
    ///
    /// - Parameter knows: whether an ECU is known to answer a PID.
    mutating func silent(
        _ question: SessionAgenda.Question,
        _ outcome: BusOutcome,
        of vehicle: VehicleIdentity,
        _ knows: (PID) -> Bool
    ) {
        switch outcome {
        case .noData, .busUnavailable: break
        default: return
        }
        switch question {
        case .poll(.pid(let pid)) where !knows(pid): self.pidUnanswered(pid)
        case .errand(.monitorStatus) where vehicle.requestsReadiness && vehicle.hasReadiness == nil: break
        // An ECU may announce a bitmap that it does not have.
        case .errand(.supportedPIDs(let base)) where base != 0x00: self.pidUnanswered(base)
        case .poll(.pid), .pids, .errand(.monitorStatus), .errand(.codes), .errand(.supportedPIDs): self.doubt()
        case .poll(.group), .poll(.custom), .poll(.frame), .errand: break
        }
    }
}

extension VehicleIdentity {
    /// Whether the dialect of the vehicle has a request for the identity.
    var canProve: Bool { self.busRequest(self.proofErrand) != nil }
}
