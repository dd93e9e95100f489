// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import AdapterLink
package import Base
package import ELM327

/// Performs the actions of the state machines of `ELM327` over one link.
package final class AdapterConversation {
    private let link: any AdapterLink
    private let clock: any MonotonicClock
    private let recorder: TranscriptRecorder?
    private var dialogue = Dialogue()
    private var addressSwitch = AddressSwitch()
    /// The time of the last bytes from the adapter.
    private var lastUse: MonotonicTime?
    /// The settings that start-up has postponed.
    private var postponed: ArraySlice<String> = []
    /// The number of requests on the bus over this link, with those of start-up and of trials.
    private(set) var requestCount = 0
    /// The number of times that the adapter was set to another addressing over this link.
    private(set) var headerChanges = 0
    /// Whether an exchange is under way, or was cut off, that changes the adapter's settings for its time.
    private var isChanging = false
    /// The known facts about the adapter, also after a failed start-up.
    package private(set) var report: AdapterReport?

    /// The time without a byte after which an adapter may lose the next one.
    static let idleLimit = Duration.seconds(1)

    /// - Parameter recorder: records the begin of each action. The owner of the link records its bytes.
    package init(_ link: any AdapterLink, clock: any MonotonicClock, recorder: TranscriptRecorder? = nil) {
        self.link = link
        self.clock = clock
        self.recorder = recorder
    }

    /// Starts the adapter and finds a vehicle behind it.
    ///
    /// ``sendPostponedSettings()`` has to follow.
    ///
    /// - Parameters:
    ///   - bus: the protocol to use; nil lets the adapter search.
    ///   - reset: the reset to begin with.
    ///   - requests: the requests to single ECUs that are tried if no ECU answers a standard request.
    ///   - progress: receives each new phase before it begins, and the report so far. If it throws, the phase does not
    ///     begin.
    package func startUp(
        bus: BusProtocol?,
        reset: StartUp.Reset = .full,
        requests: [BusRequest] = [],
        progress: (StartUp.Phase, AdapterReport) throws(SessionError) -> Void
    ) async throws(SessionError) -> AdapterReport {
        self.recorder?.record(.starting(bus, reset, requests))
        var startUp = StartUp(bus: bus, reset: reset, requests: requests)
        var step = startUp.begin()
        var phase: StartUp.Phase?
        defer {
            self.report = startUp.report
            self.postponed = startUp.report.postponedSettings[...]
        }
        while true {
            if phase != startUp.phase {
                phase = startUp.phase
                try progress(startUp.phase, startUp.report)
            }
            switch step {
            case .send(let command):
                let start = self.clock.now
                let outcome = try await self.perform(command)
                step = startUp.commandEnded(outcome, after: self.clock.now - start, form: self.dialogue.form)
            case .finished(let report): return report
            case .failed(let error): throw .startUp(error)
            }
        }
    }

    /// The report for a start-up over the next link; nil if a setting may be other than start-up leaves it.
    package var lastingReport: AdapterReport? {
        guard !self.isChanging, self.addressSwitch.isAtBase, var report = self.report else { return nil }
        report.postponedSettings = Array(self.postponed)
        return report
    }

    /// Proves that the adapter kept what an earlier start-up had set, and finds the vehicle again.
    ///
    /// - Parameter progress: called before the bus is used; if it throws, that does not happen.
    /// - Returns: nil if that is not proven, so that the adapter has to be started.
    package func resume(
        _ proof: ReturnProof,
        progress: (StartUp.Phase, AdapterReport) throws(SessionError) -> Void
    ) async throws(SessionError) -> AdapterReport? {
        var name = try await self.tell(.name)
        // The end of a request that was cut off comes first.
        if proof.mayFollow(name, form: self.dialogue.form) {
            guard case .reply = try await self.resynchronize() else { return nil }
            name = try await self.tell(.name)
        }
        guard proof.recognizes(name, form: self.dialogue.form) else { return nil }
        var seen = AdapterReport()
        for command in proof.commands {
            guard case .reply(let lines) = try await self.tell(command) else { return nil }
            guard command == .voltage else { continue }
            // Without it nobody knows whether the bus may be used. Start-up has more patience.
            guard let volts = AdapterCommand.voltage(in: lines) else { return nil }
            (seen.voltage, seen.assessments[.voltage]) = (volts, Assessment(.works))
        }
        try progress(.searching(proof.bus), seen)
        let result = try await self.ask(StartUp.firstRequest, on: proof.bus)
        self.report = proof.report(after: result, form: self.dialogue.form)
        self.report?.voltage = seen.voltage
        self.report?.assessments.merge(seen.assessments) { $1 }
        self.postponed = (self.report?.postponedSettings ?? [])[...]
        return self.report
    }

    /// Sends the settings that start-up has postponed, once.
    package func sendPostponedSettings() async throws(SessionError) {
        while let line = self.postponed.first {
            let outcome = try await self.tell(AdapterCommand(line))
            if outcome.acceptance == .silent { throw .adapterSilent }
            self.postponed.removeFirst()
            if outcome.isRefused, self.report?.unsupported.contains(line) == false {
                self.report?.unsupported.append(line)
            }
        }
    }

    /// Sends the request for a question to the vehicle.
    ///
    /// If the dialect of the vehicle has no such request, the result is `.noData`.
    package func ask(
        _ question: SessionAgenda.Question,
        of machine: SessionAgenda
    ) async throws(SessionError) -> BusResult {
        guard let request = machine.busRequest(question) else { return BusResult(outcome: .noData, dropped: 0) }
        return try await self.ask(request, on: machine.identity.bus)
    }

    /// Sends a request to the vehicle.
    ///
    /// The adapter is set to the address of the request first, if it is not set to it yet.
    ///
    /// - Parameter deadline: the latest time at which the request is handed to the link; nil: no limit.
    package func ask(
        _ request: BusRequest,
        on bus: BusProtocol,
        before deadline: MonotonicTime? = nil
    ) async throws(SessionError) -> BusResult {
        self.recorder?.record(.asking(request, bus))
        var turn = self.addressSwitch.turn(to: request.addressing, on: bus)
        if turn != .ready { self.headerChanges += 1 }
        turning: while true {
            switch turn {
            case .send(let command): turn = self.addressSwitch.commandEnded(try await self.perform(command))
            case .refused(let line): return BusResult(outcome: .refused(line), dropped: 0)
            case .failed: return BusResult(outcome: .unusable(nil), dropped: 1)
            case .lost: return BusResult(outcome: .settingsNotRestored, dropped: 0)
            case .restarted: return BusResult(outcome: .adapterRestarted, dropped: 0)
            case .silent: return BusResult(outcome: .adapterSilent, dropped: 0)
            case .ready: break turning
            }
        }
        var exchange = Exchange(request, on: bus)
        var step = exchange.begin()
        // Such a request sets the timeout, or has the adapter listen.
        self.isChanging = request.isSlow || request.listening != nil
        while true {
            switch step {
            case .send where exchange.isSendingRequest && deadline.map { self.clock.now > $0 } ?? false:
                step = exchange.withdraw()
            case .send(let command): step = exchange.stepEnded(try await self.perform(command))
            case .resynchronize: step = exchange.stepEnded(try await self.resynchronize())
            case .pause(let duration):
                try await self.pause(duration)
                step = exchange.stepEnded()
            case .finished(let result):
                self.isChanging = false
                return result
            }
        }
    }

    /// Performs one trial of the adapter's capabilities.
    ///
    /// - Throws: `.settingsNotRestored` if the trial cannot prove that the adapter's settings are restored.
    package func perform(_ probe: inout CapabilityProbe) async throws(SessionError) {
        var step = probe.begin()
        self.isChanging = true
        defer { self.report = probe.report }
        while true {
            switch step {
            case .send(let command):
                self.recorder?.record(.performing(command))
                let start = self.clock.now
                let outcome = try await self.perform(command)
                step = probe.commandEnded(outcome, after: self.clock.now - start)
            case .finished:
                self.isChanging = false
                return
            case .notRestored: throw .settingsNotRestored
            }
        }
    }

    /// Sends a command to the adapter itself, apart from start-up, trials, and requests to the vehicle.
    package func tell(_ command: AdapterCommand) async throws(SessionError) -> CommandOutcome {
        self.recorder?.record(.performing(command))
        return try await self.perform(command)
    }

    /// Sends a command and waits for its reply.
    package func perform(_ command: AdapterCommand) async throws(SessionError) -> CommandOutcome {
        if self.dialogue.isInDoubt, case .silence = try await self.resynchronize() {
            return .silence(prompted: false)
        }
        guard case .send(let bytes, let timeout) = self.dialogue.submit(command) else { throw .adapterSilent }
        if let lastUse = self.lastUse, self.clock.now - lastUse > Self.idleLimit {
            // Adapters ignore spaces, so the loss of this byte does no harm.
            try await self.write([UInt8(ascii: " ")])
        }
        if command.service != nil { self.requestCount += 1 }
        try await self.write(bytes)
        return try await self.receive(for: timeout)
    }

    private func resynchronize() async throws(SessionError) -> CommandOutcome {
        guard case .wait(let quiet) = self.dialogue.resynchronize() else { throw .adapterSilent }
        return try await self.receive(for: quiet)
    }

    /// Waits until `deadline`, or until the read is interrupted, while no request is due.
    package func idle(until deadline: MonotonicTime) async throws(SessionError) {
        // Bytes without a request show that an earlier reply may belong to another request.
        if case .bytes(let bytes) = try await self.read(until: deadline) { _ = self.dialogue.bytesReceived(bytes) }
    }

    private func receive(for timeout: Duration) async throws(SessionError) -> CommandOutcome {
        let start = self.clock.now
        var deadline = start + timeout
        while true {
            switch try await self.read(until: deadline) {
            case .bytes(let bytes):
                let now = self.clock.now
                self.lastUse = now
                switch self.dialogue.bytesReceived(bytes, after: now - start) {
                case .wait: continue
                case .extend(let duration): deadline = now + duration
                case .deliver(let outcome): return outcome
                case .close: throw .adapterSilent
                }
            case .deadline:
                switch self.dialogue.deadlinePassed() {
                case .send(let bytes, let timeout):
                    try await self.write(bytes)
                    deadline = self.clock.now + timeout
                case .wait(let duration): deadline = self.clock.now + duration
                case .deliver(let outcome): return outcome
                case .none: throw .adapterSilent
                }
            case .interrupted:
                // The caller that interrupted the read is served between two requests. Cancellation ends the wait.
                if Task.isCancelled { throw .link(.closed) }
            }
        }
    }

    private func pause(_ duration: Duration) async throws(SessionError) {
        let deadline = self.clock.now + duration
        while self.clock.now < deadline {
            if Task.isCancelled { throw .link(.closed) }
            _ = try await self.read(until: deadline)
        }
    }

    private func read(until deadline: MonotonicTime) async throws(SessionError) -> LinkInput {
        do { return try await self.link.read(until: deadline) } catch { throw .link(error) }
    }

    private func write(_ bytes: [UInt8]) async throws(SessionError) {
        do { try await self.link.write(bytes) } catch { throw .link(error) }
    }
}
