// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import ELM327

/// The link to the adapter, and the facts about the adapter that outlive a link.
final class AdapterConnection: VehicleBus {
    /// The limit of failed trials.
    ///
    /// After that many, no further trial is made.
    private static let failedTrialLimit = 3
    /// The timeout of opening a link.
    ///
    /// BlueZ's Connect needs up to 41 s.
    private static let openTimeout = Duration.seconds(45)

    private let opener: Session.Opener
    private let recorder: TranscriptRecorder?
    private let clock: any MonotonicClock
    private var link: (any AdapterLink)?
    /// The dialogue over the open link.
    private var conversation: AdapterConversation?
    /// The reset that begins the start-up; a gentler one once a reset has broken the link.
    private var reset = StartUp.Reset.full
    /// The last report with the results of the trials, which are not repeated after each loss.
    var assessedReport: AdapterReport?
    /// Whether a start-up has succeeded over the open link.
    private var hasStarted = false
    /// The proof that the adapter still has the settings of a start-up; nil if there is no hope of that.
    private var proof: ReturnProof?
    /// The facts that are kept for the next process.
    private var memory: AdapterMemory
    /// The name that an STN chip reports.
    private var firmware: String?
    /// Whether the last adapter can read the voltage.
    private(set) var hasVoltage = false
    /// The number of trials that have ended a session.
    private var failedTrials = 0
    private var sleep = SleepState.awake
    /// The changes of the addressing over closed links.
    private var pastHeaderChanges = 0

    private enum SleepState {
        case awake
        /// The adapter has accepted the command to sleep.
        case asleep
        /// The adapter did not wake up from a sleep, so it is not sent to sleep again.
        case staysAwake
    }

    init(
        _ opener: @escaping Session.Opener,
        memory: AdapterMemory,
        clock: any MonotonicClock,
        recorder: TranscriptRecorder?
    ) {
        self.opener = opener
        self.clock = clock
        self.recorder = recorder
        self.memory = memory
        self.assessedReport = memory.known?.assessed
        self.proof = memory.known.flatMap { ReturnProof($0.report, isOfEarlierProcess: true) }
    }

    var isOpen: Bool { self.conversation != nil }
    var report: AdapterReport? { self.conversation?.report }
    var requestCount: Int { self.conversation?.requestCount ?? 0 }
    /// The number of times that an adapter was set to another addressing since the start.
    var headerChanges: Int { self.pastHeaderChanges + (self.conversation?.headerChanges ?? 0) }
    var mayBeTried: Bool { self.failedTrials < Self.failedTrialLimit }

    // MARK: - The link

    func open() async throws(SessionError) -> @Sendable () -> Void {
        do {
            let link = try await self.opener(self.clock.now + Self.openTimeout)
            let recorded = recorder?.recording(link) ?? link
            self.link = recorded
            self.conversation = AdapterConversation(recorded, clock: self.clock, recorder: self.recorder)
            return { recorded.interruptRead() }
        } catch {
            throw .link(error)
        }
    }

    /// Returns the dialogue over the open link.
    private func dialogue() throws(SessionError) -> AdapterConversation {
        guard let conversation = self.conversation else { throw .link(.closed) }
        return conversation
    }

    func close(keepsSettings: Bool) {
        if self.hasStarted, let conversation {
            self.proof = keepsSettings ? conversation.lastingReport.flatMap { ReturnProof($0) } : nil
        }
        self.link?.close()
        self.link = nil
        self.pastHeaderChanges = self.headerChanges
        self.conversation = nil
        self.hasStarted = false
    }

    func interruptRead() { self.link?.interruptRead() }

    func signalStrength() async -> Int? { await self.link?.signalStrength() }
    func controllerReport() -> ControllerReport? { nil }

    // MARK: - Requests

    var hasSettings: Bool { true }

    func ask(
        _ request: BusRequest,
        on bus: BusProtocol,
        before deadline: MonotonicTime?
    ) async throws(SessionError) -> BusResult {
        try await self.dialogue().ask(request, on: bus, before: deadline)
    }

    func idle(until deadline: MonotonicTime) async throws(SessionError) {
        try await self.dialogue().idle(until: deadline)
    }

    // MARK: - Start-up

    /// Starts the adapter and finds a vehicle behind it.
    func startUp(
        bus: BusProtocol?,
        requests: [BusRequest],
        wakes: Bool,
        progress: (StartUp.Phase, AdapterReport) throws(SessionError) -> Void
    ) async throws(SessionError) -> AdapterReport {
        let proof = self.proof.flatMap { $0.fits(bus) ? $0 : nil }
        self.proof = nil
        if let proof, let report = try await self.dialogue().resume(proof, progress: progress) {
            self.respond()
            self.hasStarted = true
            return report
        }
        var lastPhase = StartUp.Phase.resetting
        do {
            let report = try await self.dialogue().startUp(bus: bus, reset: self.reset, requests: requests) {
                (phase, report) throws(SessionError) in
                if case .searching = phase { self.respond() }
                try progress(phase, report)
                lastPhase = phase
            }
            self.hasStarted = true
            return report
        } catch {
            if case .link(.lost) = error, lastPhase == .resetting { self.reset = self.reset.gentler }
            throw error
        }
    }

    func finishStartUp() async throws(SessionError) { try await self.dialogue().sendPostponedSettings() }

    func remember(_ report: AdapterReport) {
        let known = self.assessments(of: report)
        (self.firmware, self.hasVoltage) = (report.firmware ?? known?.firmware, report.works(.voltage))
        self.keepFacts(of: report)
    }

    /// Keeps the facts for the next process, if they have changed.
    private func keepFacts(of report: AdapterReport) {
        guard self.hasStarted else { return }
        let facts = KnownAdapter(report, assessed: self.assessments(of: report), earlier: self.memory.earlier)
        guard facts != self.memory.known else { return }
        self.memory.known = facts
        self.memory.persist(facts, self.memory.vehicle)
    }

    var knownVehicle: KnownVehicle? { self.memory.vehicle }

    func remember(_ vehicle: KnownVehicle) {
        guard vehicle != self.memory.vehicle else { return }
        self.memory.vehicle = vehicle
        if let known = self.memory.known { self.memory.persist(known, vehicle) }
    }

    func assessments(of report: AdapterReport) -> AdapterReport? {
        self.assessedReport?.identity == report.identity ? self.assessedReport : nil
    }

    func reply(to command: AdapterCommand) async throws(SessionError) -> [String] {
        guard case .reply(let lines) = try await self.dialogue().perform(command) else { return [] }
        return lines
    }

    /// Performs one trial.
    ///
    /// A trial that ends the session counts as failed.
    func perform(_ probe: inout CapabilityProbe) async throws(SessionError) {
        let conversation = try self.dialogue()
        defer {
            self.assessedReport = probe.report
            self.keepFacts(of: probe.report)
        }
        self.failedTrials += 1
        if probe.isPending { try await conversation.perform(&probe) }
        self.failedTrials -= 1
    }

    // MARK: - Frames that nodes send by themselves

    var hearsFrames: Bool { false }
    func hear(_ parameters: [HeardParameter]) throws(SessionError) {}
    func takeHeard() -> HeardValues.Batch { HeardValues.Batch() }

    // MARK: - A parked vehicle

    func reach() async throws(SessionError) {
        // A sleeping adapter loses the first bytes.
        guard case .reply = try await self.dialogue().tell(.name) else {
            throw .adapterSilent
        }
        self.respond()
    }

    /// Reads the voltage.
    ///
    /// - Throws: `.adapterSilent` if the adapter does not even answer the interruption of the command.
    func supplyVoltage() async throws(SessionError) -> SupplyReading {
        switch try await self.dialogue().tell(AdapterCommand.voltage) {
        case .silence(prompted: false): throw .adapterSilent
        case .reply(let lines): return AdapterCommand.voltage(in: lines).map { .volts($0) } ?? .unreadable
        case .silence, .overflow: return .unanswered
        }
    }

    /// Returns nil: an adapter hears no traffic without a request.
    func observeTraffic() async throws(SessionError) -> Bool? { nil }

    /// Notes that the adapter answers, so it is awake.
    private func respond() { if self.sleep == .asleep { self.sleep = .awake } }

    /// Sends the adapter to sleep, unless it did not wake up from the last sleep.
    ///
    /// - Parameter isAllowed: whether the policy allows the adapter to sleep.
    func sleep(isAllowed: Bool) async {
        if self.sleep == .asleep { self.sleep = .staysAwake }
        guard isAllowed, self.sleep == .awake, let conversation = self.conversation else { return }
        for command in AdapterCommand.sleep(firmware: self.firmware) {
            guard let outcome = try? await conversation.tell(command), outcome.acceptance == .accepted else { return }
        }
        (self.sleep, self.hasStarted, self.proof) = (.asleep, false, nil)
    }
}
