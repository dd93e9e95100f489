// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

// The requests for the VIN.
extension SessionAgenda {
    /// Takes over the answer of one ECU to the request for the VIN.
    mutating func vinReceived(_ result: BusResult, to request: VINRequest, at now: MonotonicTime) -> [SessionEvent] {
        if let destination = request.request.destination { self.polling.custom.turned(to: destination) }
        guard !self.isIdentified else {
            self.identityWatch.proved(result, of: self.identity, at: now)
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
            if let known = self.known, self.identification.recognize(known) {
                self.errands.postpone(bitmaps: known.bitmapErrands, for: self.identification.mapping.maximaErrands)
                self.polling.apply(to: self.identity)
            }
            return [.identified(self.identity)]
        }
        return []
    }
}
