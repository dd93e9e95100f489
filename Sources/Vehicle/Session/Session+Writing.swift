// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

// Requests that write reach the vehicle of the lease, or none.
extension Session {
    /// The longest time from the vehicle's proof of its identity to a request that writes.
    ///
    /// An adapter that moves is in no vehicle for a second at least. The last frame of the proof came at most 0.2 s
    /// before its reply ended: the adapter waits that long for more. Where the vehicle needs a longer wait, 1 s.
    static let proofAge = Duration.milliseconds(750)

    /// Asks the ECUs again which vehicle they belong to: quickly, and once more with patience.
    ///
    /// Another vehicle ends the session, so that it is identified before anything is read from it.
    func proveVehicle(lease: Int) async throws(SessionError) -> VehicleProof {
        guard lease == self.lease, let conversation = self.conversation, let identity = self.machine?.identity else {
            throw .leaseEnded
        }
        if let failure = self.failure { throw failure }
        // What is meant for everybody must not reach the last that was asked alone.
        while self.machine?.custom.unproven != nil { try await self.ask(.errand(.settingsProof), conversation) }
        self.provenAt = nil
        guard var request = identity.busRequest(identity.proofErrand.request) else { return .unreadable }
        let isSlow = request.isSlow
        var proof = VehicleProof.unreadable
        for isPatient in [false, true] {
            request.isSlow = isSlow && isPatient
            let result = try await conversation.ask(request, on: identity.bus)
            _ = try self.heard(result)
            proof = identity.proof(by: result)
            guard proof != .same else {
                self.provenAt = self.clock.now
                self.machine?.identityWatch.answered(.same, at: self.clock.now)
                return .same
            }
        }
        if proof == .other { self.failure = .vehicleChanged }
        self.machine?.identityWatch.doubt()
        return proof
    }

    /// Sends a request that writes, at most once, right after the vehicle has proved its identity.
    ///
    /// - Throws: `.vehicleUnproven` where it was not sent.
    func write(
        _ request: BusRequest,
        _ conversation: AdapterConversation,
        lease: Int
    ) async throws(SessionError) -> BusResult {
        for _ in 0..<2 {
            if self.provenAt == nil, try await self.proveVehicle(lease: lease) != .same { break }
            // A proof is good for one request.
            guard let bus = self.machine?.identity.bus, let proven = self.provenAt.take() else { break }
            let result = try await conversation.ask(request, on: bus, before: proven + Self.proofAge)
            if result.outcome == .withdrawn { continue }
            _ = try self.heard(result)
            return result
        }
        throw .vehicleUnproven
    }
}
