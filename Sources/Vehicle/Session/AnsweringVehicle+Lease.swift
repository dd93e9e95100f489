// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

// The requests under a lease.
extension AnsweringVehicle {
    func ask(_ request: Request) async throws(SessionError) -> BusOutcome {
        try await self.proveSettings()
        let identity = self.agenda.identity
        guard var busRequest = identity.busRequest(request) else { return .noData }
        guard busRequest.isRepeatable else {
            return identity.classic(try await self.write(busRequest), to: request).outcome
        }
        busRequest.frameCount = self.agenda.polling.frameCount(of: request)
        let result = try await self.bus.ask(busRequest, on: identity.bus)
        let isUsual = self.agenda.polling.resultReceived(result, to: request, of: self.agenda.identity)
        // An adapter that has ended the session gets no further request.
        let outcome = try self.outcome(of: identity.classic(result, to: request))
        guard busRequest.frameCount != nil, !isUsual else { return outcome }
        busRequest.frameCount = nil
        let second = try await self.bus.ask(busRequest, on: identity.bus)
        return try self.outcome(of: identity.classic(second, to: request))
    }

    /// Sends bytes, to one ECU or to all.
    func send(_ request: RawRequest, to destination: Destination?) async throws(SessionError) -> BusOutcome {
        if destination == nil { try await self.proveSettings() }
        let busRequest = BusRequest(request, to: destination)
        guard busRequest.isRepeatable else {
            let result = try await self.write(busRequest)
            if let destination { self.agenda.polling.custom.turned(to: destination) }
            return result.outcome
        }
        let result = try await self.bus.ask(busRequest, on: self.agenda.identity.bus)
        if let destination { self.agenda.polling.custom.turned(to: destination) }
        return try self.outcome(of: result, isFromAll: destination == nil)
    }

    func read(_ key: ParameterKey) async throws(SessionError) -> ParameterAnswer {
        switch self.agenda.item(for: key) {
        case .custom(let request):
            let outcome = try await self.ask(.poll(.custom(request)))
            return self.agenda.polling.custom.values(of: key.name, request, outcome)
        case .group(let pgn):
            let outcome = try await self.ask(.poll(.group(pgn)))
            let values = PollPlan.values(of: pgn, outcome)
            return ParameterAnswer(values: values.compactMapValues { $0.first { $0.field.name == key.name } })
        case .frame: return try await self.hear(key.name)
        case .pid, nil: return ParameterAnswer()
        }
    }

    /// Waits for a frame with a parameter.
    private func hear(_ name: String) async throws(SessionError) -> ParameterAnswer {
        guard let parameter = self.agenda.polling.custom.parameters[name] else { return ParameterAnswer() }
        try self.tellHeard()
        let deadline = self.clock.now + HeardValues.timeout
        let batch = try await self.bus.listen(for: [parameter], until: deadline, clock: self.clock)
        try self.bus.hear(self.agenda.polling.heard)
        if batch.followsSilence { self.agenda.identityWatch.doubt() }
        while self.agenda.isInDoubt { try await self.ask(.errand(self.agenda.identity.proofErrand)) }
        guard let sample = batch.samples.first, !self.agenda.mayBeAnother else {
            return ParameterAnswer(isDamaged: batch.dropped > 0)
        }
        return ParameterAnswer(values: [sample.ecu: sample.value])
    }

    /// Begins a reading, follows the agenda until the result is there, and returns it.
    func read<Success: Sendable>(
        _ begin: (inout SessionAgenda) -> Void,
        until result: (SessionAgenda) -> Success?
    ) async throws(SessionError) -> Success {
        begin(&self.agenda)
        while true {
            if let result = result(self.agenda) { return result }
            guard case .ask(let question) = self.agenda.next(at: self.clock.now) else { throw .notConnected }
            try await self.ask(question)
            try await self.letPollPass()
        }
    }

    /// Waits, and sends nothing meanwhile.
    func pause(for duration: Duration) async throws(SessionError) {
        let end = self.clock.now + duration
        while self.clock.now < end {
            try await self.bus.idle(until: end)
            try self.tellHeard()
        }
    }

    /// Sends the most overdue poll to all ECUs, unless polling is suspended.
    ///
    /// A poll of one ECU would cost the commands that set the adapter up for it, and undo that.
    func letPollPass() async throws(SessionError) {
        let now = self.clock.now
        guard self.pollingPauseEnd.map({ $0 <= now }) ?? true, !self.agenda.isInDoubt,
            let question = self.agenda.polling.duePoll(at: now, isStandard: true)
        else { return }
        try await self.ask(question)
    }

    /// Suspends polling for the duration; zero resumes it.
    func pausePolling(for duration: Duration) {
        self.pollingPauseEnd = duration == .zero ? nil : self.clock.now + duration
    }

    /// Proves that the adapter addresses all ECUs again, so that no request reaches only the last single ECU.
    private func proveSettings() async throws(SessionError) {
        while self.agenda.polling.custom.unproven != nil { try await self.ask(.errand(.settingsProof)) }
    }

    /// Returns the outcome of a request.
    ///
    /// A failure of the adapter ends the session instead.
    ///
    /// - Parameter isFromAll: whether all ECUs were asked. One ECU may be silent because the vehicle lacks it.
    private func outcome(of result: BusResult, isFromAll: Bool = true) throws(SessionError) -> BusOutcome {
        if result.dropped > 0 { self.events.emit(.dropped(result.dropped)) }
        switch result.outcome {
        // Under a lease no poll would reveal that the adapter was moved.
        case .noData where isFromAll, .busUnavailable: self.agenda.identityWatch.doubt()
        case .adapterSilent: self.failure = .adapterSilent
        case .adapterRestarted: self.failure = .adapterRestarted
        case .settingsNotRestored: self.failure = .settingsNotRestored
        case .noData, .answered, .unusable, .refused, .withdrawn: break
        }
        if let failure = self.failure { throw failure }
        return result.outcome
    }

    // MARK: - Writing

    /// The longest time from the vehicle's proof of its identity to a request that writes.
    ///
    /// An adapter that is moved is in no vehicle for at least a second. The last frame of the proof came at most 0.2 s
    /// before its reply ended, because the adapter waits that long for more frames. If the vehicle needs a longer wait,
    /// it is 1 s.
    private static let proofAge = Duration.milliseconds(750)

    /// Requests the vehicle's identity again: first with the short timeout, then with the long one.
    ///
    /// Another vehicle ends the session, so that the new vehicle is identified before any other request.
    func proveVehicle() async throws(SessionError) -> VehicleProof {
        try await self.proveSettings()
        self.provenAt = nil
        let identity = self.agenda.identity
        guard var request = identity.busRequest(identity.proofErrand) else { return .unreadable }
        let isSlow = request.isSlow
        var proof = VehicleProof.unreadable
        for isSecond in [false, true] {
            request.isSlow = isSlow && isSecond
            let result = try await self.bus.ask(request, on: identity.bus)
            let now = self.clock.now
            if let destination = identity.proofErrand.destination { self.agenda.polling.custom.turned(to: destination) }
            _ = try self.outcome(of: result)
            proof = identity.proof(by: result)
            guard proof != .same else {
                // The request that follows must not reach only the ECU that has the VIN.
                try await self.proveSettings()
                self.provenAt = now
                self.agenda.identityWatch.answered(.same, at: self.clock.now)
                return .same
            }
        }
        if proof == .other { self.failure = .vehicleChanged }
        self.agenda.identityWatch.doubt()
        return proof
    }

    /// Sends a request that writes, at most once, right after the vehicle has proved its identity.
    ///
    /// - Throws: `.vehicleUnproven` if the request was not sent.
    private func write(_ request: BusRequest) async throws(SessionError) -> BusResult {
        for _ in 0..<2 {
            if self.provenAt == nil, try await self.proveVehicle() != .same { break }
            // A proof allows one request.
            guard let proven = self.provenAt.take() else { break }
            let bus = self.agenda.identity.bus
            let result = try await self.bus.ask(request, on: bus, before: proven + Self.proofAge)
            if result.outcome == .withdrawn { continue }
            _ = try self.outcome(of: result)
            return result
        }
        throw .vehicleUnproven
    }
}
