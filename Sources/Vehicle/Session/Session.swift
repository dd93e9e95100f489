// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import AdapterLink
package import Base
package import ELM327
package import Logging
package import OBD2
package import Parking

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
    let logger: Logger
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
    /// The time at which the vehicle of this lease proved its identity; nil once a request that writes has used it.
    var provenAt: MonotonicTime?
    /// How the adapter is reset: gentler once that has broken the link.
    private var reset = StartUp.Reset.full
    /// What the adapter can do is found out once, and not again after each loss.
    var probe: CapabilityProbe?
    var knownAdapter: AdapterReport?
    /// Behind that adapter.
    private var knownLimits = KnownLimits()
    /// How many trials have ended the session; an adapter that bears none is left alone.
    var failedTrials = 0
    static let failedTrialLimit = 3
    /// Until when nothing is polled, because somebody asks the vehicle by himself.
    var holdEnd: MonotonicTime?
    /// When the bus may be used at all.
    var parking: Parking
    /// The probes that are remembered, and what remembers them.
    var keptProbes: ProbeRecord
    let rememberProbes: @Sendable (ProbeRecord) -> Void
    /// Whether it is night, or nobody knows.
    let isQuiet: @Sendable () -> Bool
    /// Whether it is a vehicle that is to be read.
    private let expects: @Sendable (VehicleIdentity) -> Bool
    /// What was told of it last, and of the link.
    var toldParking: ParkingReport?
    var toldLink: LinkState?
    /// The bus that the vehicle answered on last.
    private(set) var knownBus: BusProtocol?
    /// Of the last adapter: what an STN chip calls itself, and whether it tells the voltage.
    var firmware: String?
    var hasVoltage = false
    /// Whether the adapter is thought to sleep; whether it is left awake, since it did not come back from that.
    var isAsleep = false
    var mustStayAwake = false
    /// Rings when somebody wants to wake the vehicle.
    let alarm = Alarm()
    /// Who waits for a parked vehicle to answer.
    var wakers: [CheckedContinuation<Result<Void, SessionError>, Never>] = []
    /// What ended the session while the bus was leased.
    var failure: SessionError?

    /// - Parameters:
    ///   - open: reaches the adapter.
    ///   - bus: the protocol to use; nil lets the adapter search.
    ///   - custom: the parameters that may be selected besides the catalogue's.
    ///   - parking: what may be done with a parked vehicle.
    ///   - probes: what was spent on a parked vehicle before.
    ///   - rememberProbes: takes what is spent, before the bus is asked; it must not block for long.
    ///   - isQuiet: whether it is night, or nobody knows.
    ///   - expects: whether it is a vehicle that is to be read; all others are left alone.
    ///   - recorder: writes the dialogue with the adapter down.
    ///   - emit: takes what happens, in order; it must not block.
    package init(
        open: @escaping Opener,
        bus: BusProtocol?,
        selection: Selection,
        custom: [CustomParameter] = [],
        parking: ParkingPolicy = ParkingPolicy(),
        probes: ProbeRecord = ProbeRecord(),
        rememberProbes: @escaping @Sendable (ProbeRecord) -> Void = { _ in },
        isQuiet: @escaping @Sendable () -> Bool = { false },
        expects: @escaping @Sendable (VehicleIdentity) -> Bool = { _ in true },
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
        self.parking = Parking(parking, probes: probes)
        self.keptProbes = probes
        self.rememberProbes = rememberProbes
        self.isQuiet = isQuiet
        self.expects = expects
        self.clock = clock
        self.logger = logger
        self.recorder = recorder
        self.emit = emit
    }

    // MARK: - Running

    /// Connects, polls, and begins again after every loss, until the task is cancelled; a parked vehicle is left alone.
    package func run() async {
        var backoff = Backoff(first: .seconds(1), limit: min(.seconds(30), self.parking.policy.readingInterval))
        while !Task.isCancelled {
            let contact: Contact
            switch self.parking.next(at: self.clock.now, isQuiet: self.isQuiet()) {
            case .wait(let time):
                self.tellParking()
                await self.alarm.wait(until: time, on: self.clock)
                continue
            case .readVoltage: contact = .look
            case .probe(let reason): contact = .probe(reason)
            case .connect: contact = .reconnection
            }
            let failure = await self.runOnce(contact) { backoff.reset() }
            guard !Task.isCancelled else { break }
            self.tellParking()
            // What a parked vehicle is left alone for has its own times.
            guard failure != .parked, !self.parking.isAtRest, !failure.isSilence else {
                backoff.reset()
                self.tellRest(failure)
                continue
            }
            let wait = backoff.next()
            self.logger.notice("No session: \(failure)", metadata: ["retry_in": "\(wait.milliseconds) ms"])
            self.tell(.waiting(failure, wait))
            await self.alarm.wait(until: self.clock.now + wait, on: self.clock)
        }
        await self.refuseJobs(.notConnected)
        self.answerWakers(.failure(.notConnected))
    }

    private func runOnce(_ contact: Contact, connected: () -> Void) async -> SessionError {
        if contact != .look { self.tell(.connecting) }
        do {
            let link = try await self.openLink()
            self.link = link
            return await link.whileCancellable {
                let failure = await self.converse(link, contact, connected: connected)
                await self.end(failure)
                return failure
            }
        } catch {
            await self.end(error)
            return error
        }
    }

    /// Polls until something ends it.
    private func converse(_ link: any AdapterLink, _ contact: Contact, connected: () -> Void) async -> SessionError {
        do {
            let conversation = AdapterConversation(link, clock: self.clock, recorder: self.recorder)
            self.conversation = conversation
            let reason = try await self.reason(for: contact, conversation)
            let report = try await self.startUp(conversation, reason)
            self.begin(report)
            try await self.proveMotion(reason, conversation)
            self.logger.info(
                "A vehicle answers",
                metadata: ["adapter": "\(report.identity)", "protocol": "\(report.bus.title)"]
            )
            connected()
            self.parking.vehicleConnected(at: self.clock.now)
            self.knownBus = report.bus
            self.tell(.connected(report))
            self.tellParking()
            self.machine?.hasTrials = self.failedTrials < Self.failedTrialLimit
            try await self.poll(conversation)
        } catch {
            return error
        }
    }

    private func startUp(
        _ conversation: AdapterConversation,
        _ reason: ProbeReason?
    ) async throws(SessionError) -> AdapterReport {
        var phase = StartUp.Phase.resetting
        // Who is known to be there is not looked for on every bus; who may be another is.
        let isKnown = reason != .start && reason != .appearance
        do {
            return try await conversation.startUp(bus: self.bus ?? (isKnown ? self.knownBus : nil), reset: self.reset) {
                (next, report) throws(SessionError) in
                if case .searching = next { try self.mayAsk(report) }
                phase = next
                self.tell(.starting(next))
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
        self.note(report)
        self.machine = SessionStateMachine(
            report,
            selection: self.selection,
            custom: self.custom,
            refusals: self.refusals.destinations
        )
        guard let known = self.knownAdapter, known.identity == report.identity else {
            self.machine?.trialsPay = true
            self.knownLimits = KnownLimits()
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
            if let machine = self.machine, machine.isReady, !machine.isInDoubt, !self.jobs.isEmpty {
                try await conversation.settle()
                await self.runJobs()
            }
            if let failure = self.failure { throw failure }
            self.expireSelection()
            let isHeld = self.holdEnd.map { self.clock.now < $0 } ?? false
            if case .leave = self.parking.check(at: self.clock.now, isHeld: isHeld) { throw .parked }
            if let end = self.holdEnd, isHeld, self.machine?.isInDoubt != true {
                try await self.idle(until: end, conversation)
                continue
            }
            if try await self.watchIgnition(conversation) { continue }
            guard let action = self.machine?.next(at: self.clock.now) else { throw .notConnected }
            switch action {
            case .ask(let question): _ = try await self.ask(question, conversation)
            case .tryAdapter: try await self.tryAdapter(conversation)
            case .wait(let due):
                try await self.idle(
                    until: self.parking.idleEnd(before: due, hasVoltage: self.hasVoltage),
                    conversation
                )
            }
            if self.machine?.isReady == true, self.failure == nil { self.answerWakers(.success(())) }
        }
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
        if !machine.comesFirst(question) { try await conversation.settle() }
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
        if case .identified(let identity) = event {
            guard self.expects(identity) else {
                self.failure = .vehicleUnexpected
                return self.emit(.unexpected(identity))
            }
            self.machine?.learn(self.knownLimits[identity])
        }
        if case .refused(let line, let parameters) = event {
            self.logger.warning("The adapter does not take \(line); not asked: \(parameters.joined(separator: " "))")
        }
        if case .samples(let samples) = event { self.watch(samples) }
        self.emit(event)
    }

    private func end(_ error: SessionError) async {
        if let report = self.conversation?.report { self.note(report) }
        self.parking.contactEnded(self.kind(of: error), at: self.clock.now)
        if self.parking.isAtRest { await self.sleepAdapter() }
        self.link?.close()
        self.link = nil
        self.conversation = nil
        if let machine = self.machine {
            if machine.isIdentified { self.knownLimits.remember(machine.planner.limit, of: machine.identity) }
            self.refusals.ended(error, refused: machine.custom.refusals, unproven: machine.custom.unproven)
        } else if case .startUp(.noVehicle) = error {
            _ = self.refusals.restarted(foundVehicle: false)
        }
        self.machine = nil
        self.probe = nil
        self.lease = nil
        self.holdEnd = nil
        self.failure = nil
        // Another vehicle may have another bus.
        if error == .vehicleChanged { self.knownBus = nil }
        await self.refuseJobs(error)
        self.answerWakers(toldBy: error)
    }

    // MARK: - Leasing the bus

    /// Runs `body` with the bus to itself, once the vehicle is mapped and there is no doubt which one it is.
    ///
    /// - Throws: `.notConnected`, `.busy`, or what `body` throws.
    package func withBus<Success: Sendable>(
        _ body: @escaping @Sendable (BusLease) async throws(SessionError) -> Success
    ) async throws(SessionError) -> Success {
        guard self.machine?.isIdentified == true, self.failure == nil else {
            throw self.parking.isAtRest ? .parked : .notConnected
        }
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
            (self.lease, self.provenAt) = (job.number, nil)
            await job.run(.success(BusLease(session: self, number: job.number, identity: identity)))
            self.lease = nil
        }
    }

    private func refuseJobs(_ error: SessionError) async {
        let refused = self.jobs
        self.jobs = []
        for job in refused { await job.run(.failure(error)) }
    }
}
