// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

// Requests as bytes, which somebody asks by himself.
extension Session {
    func send(
        _ request: RawRequest,
        to destination: Destination?,
        lease: Int
    ) async throws(SessionError) -> BusOutcome {
        guard lease == self.lease, let conversation = self.conversation, let machine = self.machine else {
            throw .leaseEnded
        }
        if let failure = self.failure { throw failure }
        while destination == nil, self.machine?.custom.unproven != nil {
            try await self.ask(.errand(.settingsProof), conversation)
        }
        let busRequest = BusRequest(request, to: destination)
        guard busRequest.isRepeatable else {
            let result = try await self.write(busRequest, conversation, lease: lease)
            if let destination { self.machine?.custom.turned(to: destination) }
            return result.outcome
        }
        let result = try await conversation.ask(busRequest, on: machine.identity.bus)
        if let destination { self.machine?.custom.turned(to: destination) }
        return try self.heard(result)
    }

    func hold(_ duration: Duration, lease: Int) {
        guard lease == self.lease else { return }
        self.holdEnd = duration == .zero ? nil : self.clock.now + duration
    }
}
