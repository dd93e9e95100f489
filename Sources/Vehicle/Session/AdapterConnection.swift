// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import ELM327

/// The link to the adapter, and the facts about the adapter that outlive a link.
final class AdapterConnection {
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
    private(set) var conversation: AdapterConversation?
    /// The reset that begins the start-up; a gentler one once a reset has broken the link.
    private var reset = StartUp.Reset.full
    /// The last report with the results of the trials, which are not repeated after each loss.
    var assessedReport: AdapterReport?
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

    init(_ opener: @escaping Session.Opener, clock: any MonotonicClock, recorder: TranscriptRecorder?) {
        self.opener = opener
        self.clock = clock
        self.recorder = recorder
    }

    var isConnected: Bool { self.conversation != nil }
    /// The number of times that an adapter was set to another addressing since the start.
    var headerChanges: Int { self.pastHeaderChanges + (self.conversation?.headerChanges ?? 0) }
    var mayBeTried: Bool { self.failedTrials < Self.failedTrialLimit }

    // MARK: - The link

    func open() async throws(SessionError) -> any AdapterLink {
        do {
            let link = try await self.opener(self.clock.now + Self.openTimeout)
            let recorded = recorder?.recording(link) ?? link
            self.link = recorded
            return recorded
        } catch {
            throw .link(error)
        }
    }

    func converse(over link: any AdapterLink) -> AdapterConversation {
        let conversation = AdapterConversation(link, clock: self.clock, recorder: self.recorder)
        self.conversation = conversation
        return conversation
    }

    func close() {
        self.link?.close()
        self.link = nil
        self.pastHeaderChanges = self.headerChanges
        self.conversation = nil
    }

    /// Ends a wait for bytes, so that a new job starts at once.
    func interruptRead() { self.link?.interruptRead() }

    func signalStrength() async -> Int? { await self.link?.signalStrength() }

    // MARK: - Start-up

    /// Starts the adapter and finds a vehicle behind it.
    func startUp(
        _ conversation: AdapterConversation,
        bus: BusProtocol?,
        requests: [BusRequest],
        progress: (StartUp.Phase, AdapterReport) throws(SessionError) -> Void
    ) async throws(SessionError) -> AdapterReport {
        var lastPhase = StartUp.Phase.resetting
        do {
            return try await conversation.startUp(bus: bus, reset: self.reset, requests: requests) {
                (phase, report) throws(SessionError) in
                if case .searching = phase { self.respond() }
                try progress(phase, report)
                lastPhase = phase
            }
        } catch {
            if case .link(.lost) = error, lastPhase == .resetting { self.reset = self.reset.gentler }
            throw error
        }
    }

    /// Keeps the facts of a report that are needed while the adapter is not connected.
    func remember(_ report: AdapterReport) {
        let known = self.assessments(of: report)
        (self.firmware, self.hasVoltage) = (report.firmware ?? known?.firmware, report.works(.voltage))
    }

    /// Returns the assessed report if it belongs to the same adapter.
    func assessments(of report: AdapterReport) -> AdapterReport? {
        self.assessedReport?.identity == report.identity ? self.assessedReport : nil
    }

    /// Performs one trial.
    ///
    /// A trial that ends the session counts as failed.
    func perform(_ probe: inout CapabilityProbe, _ conversation: AdapterConversation) async throws(SessionError) {
        defer { self.assessedReport = probe.report }
        self.failedTrials += 1
        if probe.isPending { try await conversation.perform(&probe) }
        self.failedTrials -= 1
    }

    // MARK: - Sleep

    /// Notes that the adapter answers, so it is awake.
    func respond() { if self.sleep == .asleep { self.sleep = .awake } }

    /// Sends the adapter to sleep, unless it did not wake up from the last sleep.
    ///
    /// - Parameter isAllowed: whether the policy allows the adapter to sleep.
    func sleep(isAllowed: Bool) async {
        if self.sleep == .asleep { self.sleep = .staysAwake }
        guard isAllowed, self.sleep == .awake, let conversation = self.conversation else { return }
        for command in AdapterCommand.sleep(firmware: self.firmware) {
            guard let outcome = try? await conversation.tell(command), outcome.acceptance == .accepted else { return }
        }
        self.sleep = .asleep
    }
}
