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
    private let clock: any MonotonicClock
    private let emit: @Sendable (SessionEvent) -> Void
    private let logger: Logger

    private var lasting: Selection
    private var selection: Selection
    private var machine: SessionStateMachine?
    private var conversation: AdapterConversation?
    private var link: (any AdapterLink)?
    private var jobs: [Job] = []
    private var lastLease = 0
    private var lease: Int?
    private var reading: CodeReading?
    /// What ended the session while the bus was leased.
    private var failure: SessionError?

    /// - Parameters:
    ///   - open: reaches the adapter.
    ///   - bus: the protocol to use; nil lets the adapter search.
    ///   - emit: takes what happens, in order; it must not block.
    package init(
        open: @escaping Opener,
        bus: BusProtocol?,
        selection: Selection,
        clock: any MonotonicClock,
        logger: Logger,
        emit: @escaping @Sendable (SessionEvent) -> Void
    ) {
        self.open = open
        self.bus = bus
        self.lasting = selection
        self.selection = selection
        self.clock = clock
        self.logger = logger
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
            let conversation = AdapterConversation(link, clock: self.clock)
            self.conversation = conversation
            let emit = self.emit
            let report = try await conversation.startUp(bus: self.bus) { emit(.link(.starting($0))) }
            self.logger.info(
                "A vehicle answers",
                metadata: ["adapter": "\(report.identity)", "protocol": "\(report.bus.title)"]
            )
            connected()
            self.emit(.link(.connected(report)))
            self.machine = SessionStateMachine(report, selection: self.selection)
            try await self.poll(conversation)
        } catch {
            await self.end(error)
            return error
        }
    }

    private func openLink() async throws(SessionError) -> any AdapterLink {
        do { return try await self.open(self.clock.now + Self.openTimeout) } catch { throw .link(error) }
    }

    private func poll(_ conversation: AdapterConversation) async throws(SessionError) -> Never {
        while true {
            if Task.isCancelled { throw .link(.closed) }
            await self.runJobs()
            if let failure = self.failure { throw failure }
            self.expireSelection()
            guard let action = self.machine?.next(at: self.clock.now) else { throw .notConnected }
            switch action {
            case .ask(let question): _ = try await self.ask(question, conversation)
            case .wait(let due): try await self.idle(until: due)
            }
        }
    }

    /// Waits on the link, so that its loss is seen at once, and a job that comes is run at once.
    private func idle(until due: MonotonicTime) async throws(SessionError) {
        guard self.jobs.isEmpty, let link = self.link else { return }
        let deadline = min(due, self.selection.expiry ?? due)
        do { _ = try await link.read(until: deadline) } catch { throw .link(error) }
    }

    @discardableResult
    private func ask(
        _ question: SessionStateMachine.Question,
        _ conversation: AdapterConversation
    ) async throws(SessionError) -> BusOutcome {
        guard let identity = self.machine?.identity else { throw .notConnected }
        let request = BusRequest(question.request, layout: identity.layout)
        let result = try await conversation.ask(request, on: identity.bus)
        guard let action = self.machine?.answered(question, result, at: self.clock.now) else { throw .notConnected }
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
        if case .codes(let reading) = event { self.reading = reading }
        self.emit(event)
    }

    private func end(_ error: SessionError) async {
        self.link?.close()
        self.link = nil
        self.conversation = nil
        self.machine = nil
        self.lease = nil
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
        let layout = machine.identity.layout
        let result = try await conversation.ask(BusRequest(request, layout: layout), on: machine.identity.bus)
        if result.dropped > 0 { self.emit(.dropped(result.dropped)) }
        switch result.outcome {
        case .adapterSilent: self.failure = .adapterSilent
        case .adapterRestarted: self.failure = .adapterRestarted
        default: break
        }
        if let failure = self.failure { throw failure }
        return result.outcome
    }

    func readCodes(lease: Int) async throws(SessionError) -> CodeReading {
        guard lease == self.lease, let conversation = self.conversation else { throw .leaseEnded }
        if let failure = self.failure { throw failure }
        self.reading = nil
        self.machine?.readCodes()
        while true {
            guard case .ask(let question) = self.machine?.next(at: self.clock.now) else { throw .notConnected }
            try await self.ask(question, conversation)
            if let reading = self.reading { return reading }
        }
    }

    // MARK: - Selection

    /// What is polled now.
    package var currentSelection: Selection { self.selection }

    /// Polls another set from now on; it also outlives the connection.
    ///
    /// - Parameter duration: after which the lasting selection comes back; nil makes this one last.
    package func select(_ intervals: [PID: Duration], for duration: Duration? = nil) -> Selection {
        self.selection = Selection(
            version: max(self.selection.version, self.lasting.version) + 1,
            intervals: intervals,
            expiry: duration.map { self.clock.now + $0 }
        )
        if duration == nil { self.lasting = self.selection }
        self.applySelection()
        return self.selection
    }

    private func expireSelection() {
        guard let expiry = self.selection.expiry, expiry <= self.clock.now else { return }
        let version = self.selection.version + 1
        self.selection = self.lasting
        self.selection.version = version
        self.applySelection()
    }

    private func applySelection() {
        self.machine?.select(self.selection)
        self.emit(.selected(self.selection))
        self.link?.wake()
    }

    /// The vehicle, while one is connected.
    package var identity: VehicleIdentity? { self.machine?.identity }

    /// The strength of the adapter's radio signal in dBm, which may take seconds to tell.
    ///
    /// Nil while no vehicle is connected, where there is no radio, and where it can't be had.
    package func signalStrength() async -> Int? {
        guard self.machine != nil else { return nil }
        return await self.link?.signalStrength()
    }

    /// What is selected and not polled, because the vehicle does not support it or does not answer it.
    package var unsupported: [PID] { self.machine?.unsupported ?? [] }
}
