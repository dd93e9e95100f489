// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

// The watch on the identity of the vehicle.
extension SessionAgenda {
    /// Whether the dialect of the vehicle has a request for the identity.
    var canProve: Bool { self.identity.busRequest(self.identity.proofErrand) != nil }

    /// Returns the time of the next proof without a sign of a move.
    func nextProof(at now: MonotonicTime) -> MonotonicTime {
        let next = self.identityWatch.next(self.identity.dialect) ?? now + IdentityWatch.interval.usual
        return next > now || self.canProve ? next : now + IdentityWatch.interval.usual
    }

    /// Takes over the result of a proof of the identity.
    ///
    /// Silence proves nothing. It is counted, and PID 01 is requested to see whether any ECU still answers.
    mutating func proved(_ result: BusResult, at now: MonotonicTime) {
        switch result.outcome {
        case .noData, .busUnavailable: self.identityWatch.doubt()
        default: self.identityWatch.answered(self.identity.proof(by: result), at: now)
        }
    }

    /// Takes over the answer of one ECU to the request for the VIN.
    mutating func vinReceived(_ result: BusResult, to request: VINRequest, at now: MonotonicTime) -> [SessionEvent] {
        if let destination = request.request.destination { self.custom.turned(to: destination) }
        guard !self.isIdentified else {
            self.proved(result, at: now)
            return []
        }
        return self.proceed(self.identification.vinReceived(result, to: request), after: .addressedVIN(request))
    }

    /// Performs the action after an answer to a request for the VIN.
    mutating func proceed(_ action: Identification.VINAction, after errand: Errand) -> [SessionEvent] {
        switch action {
        case .askAgain: self.errands.insertUrgent(errand)
        case .unidentified: break
        // All ECUs have to be known to distinguish the vehicle from others.
        case .ask(let other): self.errands.appendIdentification(other)
        case .identified(let asksLater):
            if asksLater { self.errands.append([.vin], in: .idle) }
            return [.identified(self.identity)]
        }
        return []
    }

    /// Counts the proof as failed if other ECUs answer, and the one with the VIN does not.
    ///
    /// With standard services PID 01 shows that.
    mutating func proofMissed(besides question: Question, at now: MonotonicTime) {
        guard !self.identity.dialect.hasStandardServices, case .poll = question, self.identityWatch.isInDoubt else {
            return
        }
        self.identityWatch.failed(at: now)
    }

    /// Looks for signs of a move in the values of the vehicle.
    mutating func lookForMoves(_ events: [SessionEvent], at now: MonotonicTime) {
        if self.isIdentified { self.identityWatch.identified(at: now) }
        for case .samples(let samples) in events {
            for sample in samples where sample.ecu == self.identity.primary {
                guard case .number(let value) = sample.value.value else { continue }
                self.identityWatch.valueReceived(sample.value.field.name, value)
            }
        }
    }

    /// Counts silence as a sign of a move if an ECU has answered the question before, or must answer it.
    mutating func noteSilence(_ question: Question, _ outcome: BusOutcome) {
        switch outcome {
        case .noData, .busUnavailable: break
        default: return
        }
        switch question {
        case .poll(.pid(let pid)) where !self.planner.answers.knows(pid): self.identityWatch.pidUnanswered(pid)
        case .poll(.pid), .pids, .errand(.monitorStatus), .errand(.codes), .errand(.supportedPIDs):
            self.identityWatch.doubt()
        case .poll(.group), .poll(.custom), .errand: break
        }
    }
}
