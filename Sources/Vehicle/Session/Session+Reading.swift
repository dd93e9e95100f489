// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

// What somebody reads under a lease.
extension Session {
    func ask(_ request: Request, lease: Int) async throws(SessionError) -> BusOutcome {
        guard lease == self.lease, let conversation = self.conversation, let machine = self.machine else {
            throw .leaseEnded
        }
        if let failure = self.failure { throw failure }
        // What is meant for everybody must not reach the last that was asked alone.
        while self.machine?.custom.unproven != nil { try await self.ask(.errand(.settingsProof), conversation) }
        let identity = machine.identity
        guard var busRequest = identity.busRequest(request) else { return .noData }
        guard busRequest.isRepeatable else {
            return identity.classic(try await self.write(busRequest, conversation, lease: lease), to: request).outcome
        }
        busRequest.frameCount = machine.frameCount(of: request)
        let result = try await conversation.ask(busRequest, on: identity.bus)
        let isUsual = self.machine?.heard(result, to: request) ?? true
        // An adapter that has ended the session is not asked again.
        let outcome = try self.heard(identity.classic(result, to: request))
        guard busRequest.frameCount != nil, !isUsual else { return outcome }
        busRequest.frameCount = nil
        return try self.heard(identity.classic(try await conversation.ask(busRequest, on: identity.bus), to: request))
    }

    /// What the adapter did ends the session, or is an answer.
    func heard(_ result: BusResult) throws(SessionError) -> BusOutcome {
        if result.dropped > 0 { self.emit(.dropped(result.dropped)) }
        switch result.outcome {
        // While somebody else has the bus nothing is polled that would show a move.
        case .noData, .busUnavailable: self.machine?.identityWatch.doubt()
        case .adapterSilent: self.failure = .adapterSilent
        case .adapterRestarted: self.failure = .adapterRestarted
        case .adapterUnsettled: self.failure = .adapterUnsettled
        default: break
        }
        if let failure = self.failure { throw failure }
        return result.outcome
    }

    func read(_ key: ParameterKey, lease: Int) async throws(SessionError) -> [ECUAddress: FieldValue] {
        guard lease == self.lease, let conversation = self.conversation, let machine = self.machine else {
            throw .leaseEnded
        }
        if let failure = self.failure { throw failure }
        switch machine.item(for: key) {
        case .custom(let request):
            let outcome = try await self.ask(.poll(.custom(request)), conversation)
            return machine.custom.values(of: key.name, request, outcome)
        case .group(let pgn):
            let values = machine.values(of: pgn, try await self.ask(.poll(.group(pgn)), conversation))
            return values.compactMapValues { $0.first { $0.field.name == key.name } }
        case .pid, nil: return [:]
        }
    }

    func readCodes(lease: Int) async throws(SessionError) -> CodeReading {
        try await self.ask(lease, { $0.readCodes() }, until: \.lastReading)
    }

    func readMonitors(lease: Int) async throws(SessionError) -> MonitorReading {
        try await self.ask(lease, { $0.readMonitors() }, until: \.lastTests)
    }

    func readVehicle(lease: Int) async throws(SessionError) -> VehicleIdentity {
        try await self.ask(lease, { $0.readInformation() }, until: { $0.isReadingInformation ? nil : $0.identity })
    }

    /// Asks what the machine wants to know until it has a result.
    private func ask<Success: Sendable>(
        _ lease: Int,
        _ begin: (inout SessionStateMachine) -> Void,
        until result: (SessionStateMachine) -> Success?
    ) async throws(SessionError) -> Success {
        guard lease == self.lease, let conversation = self.conversation else { throw .leaseEnded }
        if let failure = self.failure { throw failure }
        if var machine = self.machine {
            begin(&machine)
            self.machine = machine
        }
        while true {
            if let result = self.machine.flatMap(result) { return result }
            guard case .ask(let question) = self.machine?.next(at: self.clock.now) else { throw .notConnected }
            try await self.ask(question, conversation)
            try await self.letPollPass(lease: lease)
        }
    }

    func letPollPass(lease: Int) async throws(SessionError) {
        guard lease == self.lease, let conversation = self.conversation else { throw .leaseEnded }
        let now = self.clock.now
        guard self.holdEnd.map({ $0 <= now }) ?? true, self.machine?.isInDoubt != true,
            let question = self.machine?.duePoll(at: now)
        else { return }
        try await self.ask(question, conversation)
    }
}
