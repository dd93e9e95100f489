// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import AdapterLink
package import ELM327
package import Logging
package import OBD2
package import Timing

/// One adapter and the vehicle behind it, from one connection to the next, for ever.
///
/// The only actor that touches the link. Everything that others want of the vehicle waits for its turn between two
/// requests; the queue is bounded.
package actor Session {
    /// Opens a new link; the deadline bounds it.
    package typealias Opener = @Sendable (MonotonicTime) async throws(LinkError) -> any AdapterLink
    private typealias Job = (number: Int, run: @Sendable (Result<BusLease, SessionError>) async -> Void)

    /// How many may wait for the vehicle.
    static let queueLimit = 16
    /// How long opening a link may take.
    ///
    /// BlueZ's Connect needs up to 41 s.
    static let openTimeout = Duration.seconds(45)

    private let open: Opener
    private let bus: BusProtocol?
    let clock: any MonotonicClock
    let emit: @Sendable (SessionEvent) -> Void
    private let logger: Logger
    private let recorder: TranscriptRecorder?

    private let custom: [String: CustomParameter]
    private var refusals = Refusals()
    /// What is polled when no temporary selection is.
    package internal(set) var lasting: Selection
    var selection: Selection
    var machine: SessionStateMachine?
    private(set) var conversation: AdapterConversation?
    private(set) var link: (any AdapterLink)?
    private var jobs: [Job] = []
    private var lastLease = 0
    private(set) var lease: Int?
    /// How the adapter is reset: gentler once that has broken the link.
    private var reset = StartUp.Reset.full
    /// What the adapter can do is found out once, and not again after each loss.
    private var probe: CapabilityProbe?
    private var knownAdapter: AdapterReport?
    /// How many trials have ended the session; an adapter that bears none is left alone.
    private var failedTrials = 0
    static let failedTrialLimit = 3
    /// Until when nothing is polled, because somebody asks the vehicle by himself.
    var holdEnd: MonotonicTime?
    /// What ended the session while the bus was leased.
    private(set) var failure: SessionError?

    /// - Parameters:
    ///   - open: reaches the adapter.
    ///   - bus: the protocol to use; nil lets the adapter search.
    ///   - custom: the parameters that may be selected besides the catalogue's.
    ///   - recorder: writes the dialogue with the adapter down.
    ///   - emit: takes what happens, in order; it must not block.
    package init(
        open: @escaping Opener,
        bus: BusProtocol?,
        selection: Selection,
        custom: [CustomParameter] = [],
        clock: any MonotonicClock,
        logger: Logger,
        recorder: TranscriptRecorder? = nil,
        emit: @escaping @Sendable (SessionEvent) -> Void
    ) {
        self.open = open
        self.bus = bus
        self.custom = Dictionary(custom.map { ($0.name, $0) }) { first, _ in first }
        self.lasting = selection
        self.selection = selection
        self.clock = clock
        self.logger = logger
        self.recorder = recorder
        self.emit = emit
    }

    // MARK: - Running

    /// Connects, polls, and begins again after every loss, until the task is cancelled.
    package func run() async {
        var backoff = Backoff(first: .seconds(1), limit: .seconds(30))
        var searching = Backoff(first: .seconds(8), limit: .seconds(120))
        while !Task.isCancelled {
            let failure = await self.runOnce {
                backoff.reset(); searching.reset()
            }
            guard !Task.isCancelled else { break }
            let isParked = if case .startUp(.noVehicle) = failure { true } else { failure == .vehicleSilent }
            let wait = isParked ? searching.next() : backoff.next()
            self.logger.notice("No session: \(failure)", metadata: ["retry_in": "\(wait.milliseconds) ms"])
            self.emit(.link(.waiting(failure, wait)))
            try? await self.clock.sleep(until: self.clock.now + wait)
        }
        await self.refuseJobs(.notConnected)
    }

    private func runOnce(connected: () -> Void) async -> SessionError {
        self.emit(.link(.connecting))
        do {
            let link = try await self.openLink()
            self.link = link
            let conversation = AdapterConversation(link, clock: self.clock, recorder: self.recorder)
            self.conversation = conversation
            let report = try await self.startUp(conversation)
            self.logger.info(
                "A vehicle answers",
                metadata: ["adapter": "\(report.identity)", "protocol": "\(report.bus.title)"]
            )
            connected()
            self.emit(.link(.connected(report)))
            self.begin(report)
            self.machine?.hasTrials = self.failedTrials < Self.failedTrialLimit
            try await self.poll(conversation)
        } catch {
            await self.end(error)
            return error
        }
    }

    private func startUp(_ conversation: AdapterConversation) async throws(SessionError) -> AdapterReport {
        let emit = self.emit
        var phase = StartUp.Phase.resetting
        do {
            return try await conversation.startUp(bus: self.bus, reset: self.reset) {
                phase = $0
                emit(.link(.starting($0)))
            }
        } catch {
            if case .link(.lost) = error, phase == .resetting { self.reset = self.reset.gentler }
            throw error
        }
    }

    private func begin(_ report: AdapterReport) {
        if let destination = self.refusals.restarted(foundVehicle: true) {
            self.logger.warning("The adapter is lost over requests to \(destination.header); it is not asked any more")
        }
        self.machine = SessionStateMachine(
            report,
            selection: self.selection,
            custom: self.custom,
            refusals: self.refusals.destinations
        )
        guard let known = self.knownAdapter, known.identity == report.identity else {
            self.machine?.trialsPay = true
            return
        }
        self.machine?.learn(known)
    }

    private func openLink() async throws(SessionError) -> any AdapterLink {
        do {
            let link = try await self.open(self.clock.now + Self.openTimeout)
            guard let recorder = self.recorder else { return link }
            return RecordingLink(link, recorder)
        } catch {
            throw .link(error)
        }
    }

    private func poll(_ conversation: AdapterConversation) async throws(SessionError) -> Never {
        while true {
            if Task.isCancelled { throw .link(.closed) }
            await self.runJobs()
            if let failure = self.failure { throw failure }
            self.expireSelection()
            if let end = self.holdEnd, self.clock.now < end {
                try await self.idle(until: end, conversation)
                continue
            }
            guard let action = self.machine?.next(at: self.clock.now) else { throw .notConnected }
            switch action {
            case .ask(let question): _ = try await self.ask(question, conversation)
            case .tryAdapter: try await self.tryAdapter(conversation)
            case .wait(let due): try await self.idle(until: due, conversation)
            }
        }
    }

    /// Performs the next trial of what the adapter can do.
    private func tryAdapter(_ conversation: AdapterConversation) async throws(SessionError) {
        guard var probe = self.probe ?? self.newProbe(conversation) else {
            self.machine?.hasTrials = false
            return
        }
        defer {
            self.probe = probe
            self.knownAdapter = probe.report
        }
        self.failedTrials += 1
        if probe.isPending { try await conversation.perform(&probe) }
        self.failedTrials -= 1
        self.machine?.learn(probe.report)
        self.machine?.trialsPay = probe.next == .responseCount || probe.next == .multiplePIDs
        guard !probe.isPending else { return }
        self.machine?.hasTrials = false
        self.emit(.adapter(probe.report))
    }

    private func newProbe(_ conversation: AdapterConversation) -> CapabilityProbe? {
        guard let report = conversation.report, let identity = self.machine?.identity,
            let vehicle = ProbedVehicle(identity)
        else { return nil }
        let isSame = self.knownAdapter?.identity == report.identity
        let known = (isSame ? self.knownAdapter?.assessments : nil) ?? [:]
        return CapabilityProbe(report, vehicle, known: known)
    }

    /// Waits on the link, so that its loss is seen at once, and a job that comes is run at once.
    private func idle(until due: MonotonicTime, _ conversation: AdapterConversation) async throws(SessionError) {
        guard self.jobs.isEmpty else { return }
        try await conversation.idle(until: min(due, self.selection.expiry ?? due))
    }

    @discardableResult
    func ask(
        _ question: SessionStateMachine.Question,
        _ conversation: AdapterConversation
    ) async throws(SessionError) -> BusOutcome {
        guard let machine = self.machine else { throw .notConnected }
        let start = self.clock.now
        let result = try await conversation.ask(question, of: machine)
        self.machine?.took(self.clock.now - start, question)
        let unproven = self.machine?.custom.unproven
        guard let action = self.machine?.answered(question, result, at: self.clock.now) else { throw .notConnected }
        if let unproven, self.machine?.custom.unproven == nil { self.refusals.proved(unproven) }
        switch action {
        case .proceed(let events):
            events.forEach(self.report)
        case .startOver(let error, let events):
            events.forEach(self.report)
            self.failure = error
            throw error
        }
        return result.outcome
    }

    private func report(_ event: SessionEvent) {
        if case .refused(let line, let parameters) = event {
            self.logger.warning("The adapter does not take \(line); not asked: \(parameters.joined(separator: " "))")
        }
        self.emit(event)
    }

    private func end(_ error: SessionError) async {
        self.link?.close()
        self.link = nil
        self.conversation = nil
        if let machine = self.machine {
            self.refusals.ended(error, refused: machine.custom.refusals, unproven: machine.custom.unproven)
        } else if case .startUp(.noVehicle) = error {
            _ = self.refusals.restarted(foundVehicle: false)
        }
        self.machine = nil
        self.probe = nil
        self.lease = nil
        self.holdEnd = nil
        self.failure = nil
        await self.refuseJobs(error)
    }

    // MARK: - Leasing the bus

    /// Runs `body` with the bus to itself, after the request that is under way.
    ///
    /// Not before it is known which vehicle it is: what is meant for one must not reach another.
    ///
    /// - Throws: `.notConnected`, `.busy`, or what `body` throws.
    package func withBus<Success: Sendable>(
        _ body: @escaping @Sendable (BusLease) async throws(SessionError) -> Success
    ) async throws(SessionError) -> Success {
        guard self.machine?.isIdentified == true, self.failure == nil else { throw .notConnected }
        guard self.jobs.count < Self.queueLimit else { throw .busy }
        self.lastLease += 1
        let number = self.lastLease
        typealias Waiting = CheckedContinuation<Result<Success, SessionError>, Never>
        let result = await withCheckedContinuation { (continuation: Waiting) in
            self.jobs.append(
                (
                    number,
                    { lease in
                        do throws(SessionError) {
                            continuation.resume(returning: .success(try await body(try lease.get())))
                        } catch {
                            continuation.resume(returning: .failure(error))
                        }
                    }
                )
            )
            self.link?.wake()
        }
        return try result.get()
    }

    private func runJobs() async {
        while !self.jobs.isEmpty, self.failure == nil, let identity = self.machine?.identity {
            let job = self.jobs.removeFirst()
            self.lease = job.number
            await job.run(.success(BusLease(session: self, number: job.number, identity: identity)))
            self.lease = nil
        }
    }

    private func refuseJobs(_ error: SessionError) async {
        let refused = self.jobs
        self.jobs = []
        for job in refused { await job.run(.failure(error)) }
    }

    func ask(_ request: Request, lease: Int) async throws(SessionError) -> BusOutcome {
        guard lease == self.lease, let conversation = self.conversation, let machine = self.machine else {
            throw .leaseEnded
        }
        if let failure = self.failure { throw failure }
        // What is meant for everybody must not reach the last that was asked alone.
        while self.machine?.custom.unproven != nil { try await self.ask(.errand(.settingsProof), conversation) }
        let identity = machine.identity
        guard let busRequest = identity.busRequest(request) else { return .noData }
        return try self.heard(identity.classic(try await conversation.ask(busRequest, on: identity.bus), to: request))
    }

    /// What the adapter did ends the session, or is an answer.
    func heard(_ result: BusResult) throws(SessionError) -> BusOutcome {
        if result.dropped > 0 { self.emit(.dropped(result.dropped)) }
        switch result.outcome {
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
        guard self.holdEnd.map({ $0 <= now }) ?? true, let question = self.machine?.duePoll(at: now)
        else { return }
        try await self.ask(question, conversation)
    }
}
