// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Brings an adapter from an unknown state to one in which it answers requests with headers.
///
/// Start-up tests each setting by its effect. It trusts no version text, and no `OK` before the effect is seen. This
/// is a state machine: the driver performs each step, and reports how the command ended.
package struct StartUp: Sendable {
    package enum Step: Hashable, Sendable {
        case send(AdapterCommand)
        /// An ECU answered.
        case finished(AdapterReport)
        case failed(StartUpError)
    }

    /// The progress of start-up, for users who wait.
    package enum Phase: Hashable, Sendable {
        case resetting, configuring
        /// Searching for an ECU on this protocol; nil while the adapter chooses the protocol.
        case searching(BusProtocol?)
    }

    /// The way to bring an adapter into a known state.
    package enum Reset: Hashable, Sendable {
        /// `AT Z`, which restarts the adapter as if it were plugged in again.
        case full
        /// `AT WS`, which on some combined chips does not restart the radio.
        case warm
        /// `AT D`, which restores the settings only.
        case soft

        /// The reset to use if this one breaks the link.
        package var gentler: Reset { self == .full ? .warm : .soft }

        fileprivate var commands: ArraySlice<String> { self == .soft ? ["ATD"] : ["ATWS", "ATD"] }
    }

    private enum State: Hashable, Sendable {
        case resetting(attempt: Int)
        case identifying
        /// Restoring defaults without `AT Z`, with the first of these commands that the adapter knows.
        case clearing(ArraySlice<String>)
        case configuring(index: Int, attempt: Int)
        case choosingProtocol
        case searching(attempt: Int)
        case describingProtocol(lines: [String], elapsed: Duration)
        /// No ECU answered to SAE J1979. The error applies if no ECU answers to another dialect.
        case searchingDialect(DialectSearch, StartUpError)
    }

    /// The maximum number of attempts to read a plausible voltage.
    private static let voltageAttempts = 3
    /// The time after which no further protocol is tried.
    static let searchLimit = Duration.seconds(90)

    /// The number of ECUs that are asked on a bus, so that the search ends within seconds, and a sleeping vehicle gets few
    /// requests.
    package static let requestLimit = 6

    /// The order in which protocols are tried if the adapter cannot search: the likeliest first.
    private static let order: [BusProtocol] = [
        .can11at500, .can29at500, .can11at250, .can29at250, .kwpFast, .kwp5Baud, .iso9141, .j1850VPW, .j1850PWM,
    ]

    /// The request that finds the ECUs: the supported PIDs of service 01.
    package static let firstRequest = BusRequest(payload: [0x01, 0x00], echo: [0x00], lengths: 6...6)

    private let reset: Reset
    private let configured: BusProtocol?
    /// The requests to single ECUs that find a vehicle without any standard service.
    private let requests: [BusRequest]
    private var state = State.resetting(attempt: 0)
    /// The protocols still to try, the present one first; empty while the adapter searches by itself.
    private var candidates: [BusProtocol]
    private var searchTime = Duration.zero
    /// Whether the reset is proven, so that the settings which it restores are postponed.
    private var isResetProven = false

    /// The present phase.
    package private(set) var phase = Phase.resetting
    /// The findings so far.
    package private(set) var report = AdapterReport()

    /// Creates the start-up of one adapter.
    ///
    /// - Parameters:
    ///   - bus: the protocol to use; nil to let the adapter search.
    ///   - reset: the reset to begin with.
    ///   - requests: the requests to single ECUs that are tried if no ECU answers a standard request.
    package init(bus: BusProtocol? = nil, reset: Reset = .full, requests: [BusRequest] = []) {
        self.requests = requests
        self.candidates = bus.map { [$0] } ?? []
        self.configured = bus
        self.reset = reset
        if bus != nil {
            self.report.assessments[.protocolSearch] = Assessment(.notTested("the protocol is configured"))
        }
    }

    /// Returns the first step.
    package mutating func begin() -> Step {
        guard self.reset == .full else {
            self.report.assessments[.reset] = Assessment(.notTested("an earlier reset broke the link"))
            return self.identify()
        }
        self.state = .resetting(attempt: 0)
        return .send(AdapterCommand("ATZ", timeout: AdapterCommand.resetTimeout))
    }

    /// Takes the outcome of the command, the time that it took and the form of its reply, and returns the next step.
    package mutating func commandEnded(
        _ outcome: CommandOutcome,
        after elapsed: Duration,
        form: ReplyForm = []
    ) -> Step {
        // Echo and line feeds are odd only after they have been switched off.
        self.report.forms.formUnion(
            self.phase == .resetting || self.phase == .configuring ? form.subtracting([.echo, .linefeeds]) : form
        )
        switch self.state {
        case .resetting(let attempt): return self.wasReset(outcome, elapsed, attempt)
        case .identifying: return self.identified(outcome)
        case _ where outcome.acceptance == .silent: return .failed(.adapterSilent)
        case .clearing(let commands): return self.cleared(outcome, commands)
        case .configuring(let index, let attempt): return self.configured(outcome, elapsed, form, index, attempt)
        case .choosingProtocol: return self.choseProtocol(outcome, elapsed)
        case .searching(let attempt): return self.searched(outcome, elapsed, form, attempt)
        case .describingProtocol(let lines, let requestTime):
            return self.described(outcome, elapsed, lines, requestTime)
        case .searchingDialect(var search, let error):
            if case .reply(let lines) = outcome { self.judgeForm(lines, form, elapsed, of: "search") }
            let step = search.commandEnded(outcome)
            return self.searchedDialect(search, step, or: error)
        }
    }

    private mutating func recordEvidence(
        _ capability: Capability,
        _ verdict: Verdict,
        _ request: String,
        _ outcome: CommandOutcome,
        _ elapsed: Duration
    ) {
        let evidence = Assessment.Evidence(request: request, outcome: outcome, duration: elapsed)
        self.report.assessments[capability, default: Assessment(verdict)].evidence.append(evidence)
        self.report.assessments[capability]?.verdict = verdict
    }

    // MARK: - The adapter

    private mutating func wasReset(_ outcome: CommandOutcome, _ elapsed: Duration, _ attempt: Int) -> Step {
        guard case .reply(let lines) = outcome else {
            // One clone never answers AT Z, but does answer AT I.
            self.recordEvidence(.reset, .refused, "ATZ", outcome, elapsed)
            return self.identify()
        }
        if let banner = lines.first(where: { compact($0).contains("ELM327") }) {
            self.recordEvidence(.reset, .works, "ATZ", outcome, elapsed)
            // Noise or the echo may precede the banner.
            self.report.identity = banner.firstRange(of: "ELM327").map { String(banner[$0.lowerBound...]) } ?? banner
            return self.configure(0)
        }
        self.recordEvidence(.reset, .ignored, "ATZ", outcome, elapsed)
        // Left-over bytes make some adapters answer the first command with "?".
        guard attempt == 0 else { return self.identify() }
        self.state = .resetting(attempt: 1)
        return .send(AdapterCommand("ATZ", timeout: AdapterCommand.resetTimeout))
    }

    private mutating func identify() -> Step {
        self.state = .identifying
        return .send(.name)
    }

    private mutating func identified(_ outcome: CommandOutcome) -> Step {
        guard case .reply(let lines) = outcome, let line = lines.last, !outcome.isRefused else {
            return .failed(.notAnAdapter)
        }
        if self.reset == .full { self.report.unsupported.append("ATZ") }
        self.report.identity = line
        return self.clear(self.reset.commands)
    }

    private mutating func clear(_ commands: ArraySlice<String>) -> Step {
        guard let command = commands.first else { return self.configure(0) }
        self.state = .clearing(commands)
        return .send(AdapterCommand(command, timeout: AdapterCommand.resetTimeout))
    }

    private mutating func cleared(_ outcome: CommandOutcome, _ commands: ArraySlice<String>) -> Step {
        guard outcome.isRefused else { return self.configure(0) }
        self.report.unsupported += commands.prefix(1)
        return self.clear(commands.dropFirst())
    }

    private mutating func configure(_ index: Int, attempt: Int = 0) -> Step {
        self.phase = .configuring
        guard index < Self.settings.count else { return self.chooseProtocol() }
        if self.isResetProven, Self.settings[index].isDefault {
            self.report.postponedSettings.append(Self.settings[index].line)
            return self.configure(index + 1)
        }
        self.state = .configuring(index: index, attempt: attempt)
        return .send(AdapterCommand(Self.settings[index].line))
    }

    private mutating func configured(
        _ outcome: CommandOutcome,
        _ elapsed: Duration,
        _ form: ReplyForm,
        _ index: Int,
        _ attempt: Int
    ) -> Step {
        // The effect of the reset: the echo is back.
        if index == 0 { self.isResetProven = self.report.works(.reset) && form.contains(.echo) }
        let setting = Self.settings[index]
        let isRefused = outcome.isRefused
        // An accepted setting is not proven yet.
        if let capability = setting.capability {
            self.recordEvidence(capability, isRefused ? .refused : .ignored, setting.line, outcome, elapsed)
        }
        guard case .reply(let lines) = outcome else {
            self.report.unsupported.append(setting.line)
            return self.configure(index + 1)
        }
        switch setting.capability {
        case .headers where isRefused:
            return .failed(.headersIgnored)
        case .voltage:
            self.report.voltage = AdapterCommand.voltage(in: lines)
            if self.report.voltage != nil {
                self.report.assessments[.voltage]?.verdict = .works
            } else if !isRefused && attempt + 1 < Self.voltageAttempts {
                return self.configure(index, attempt: attempt + 1)
            }
        default:
            if isRefused { self.report.unsupported.append(setting.line) }
        }
        return self.configure(index + 1)
    }

    // MARK: - The bus

    private mutating func chooseProtocol() -> Step {
        if self.candidates.first == .j1939 { return self.searchDialect(.j1939, or: .noVehicle(.noData)) }
        self.state = .choosingProtocol
        self.phase = .searching(self.candidates.first)
        let number = self.candidates.first?.number ?? "0"
        return .send(AdapterCommand("ATSP\(number)"))
    }

    private mutating func choseProtocol(_ outcome: CommandOutcome, _ elapsed: Duration) -> Step {
        let line = "ATSP\(self.candidates.first?.number ?? "0")"
        let isRefused = if case .refused = outcome.acceptance { true } else { false }
        let verdict = isRefused ? Verdict.refused : .ignored
        if self.candidates.isEmpty { self.recordEvidence(.protocolSearch, verdict, line, outcome, elapsed) }
        guard isRefused else { return self.search(attempt: 0) }
        self.report.unsupported.append(line)
        return self.tryNextProtocol(or: .noVehicle(.notUnderstood))
    }

    private mutating func search(attempt: Int) -> Step {
        self.state = .searching(attempt: attempt)
        return .send(AdapterCommand("0100", timeout: AdapterCommand.searchTimeout, service: 0x01))
    }

    private mutating func tryNextProtocol(or error: StartUpError) -> Step {
        if self.candidates.isEmpty {
            // This adapter cannot search, so the agent does.
            self.candidates = Self.order
        } else {
            self.candidates.removeFirst()
        }
        let isOver = self.candidates.isEmpty || self.searchTime >= Self.searchLimit
        return isOver ? self.searchDialect(self.remaining, or: error) : self.chooseProtocol()
    }

    /// The search for other dialects after no ECU answered.
    private var remaining: DialectSearch? {
        self.configured.map { DialectSearch(on: $0, self.requests) } ?? DialectSearch(everywhereWith: self.requests)
    }

    private mutating func searchDialect(_ search: DialectSearch?, or error: StartUpError) -> Step {
        guard var search else { return .failed(error) }
        let step = search.begin()
        return self.searchedDialect(search, step, or: error)
    }

    private mutating func searchedDialect(
        _ search: DialectSearch,
        _ step: DialectSearch.Step,
        or error: StartUpError
    ) -> Step {
        switch step {
        case .send(let command):
            self.phase = .searching(search.bus)
            self.state = .searchingDialect(search, error)
            return .send(command)
        case .found(let bus, let ecus):
            self.report.bus = bus
            self.report.ecus = ecus
            self.report.assessments[.headers]?.verdict = .works
            return .finished(self.report)
        case .noVehicle: return .failed(error)
        case .notSupported(let bus): return .failed(.protocolNotSupported(bus))
        }
    }

    private mutating func searched(
        _ outcome: CommandOutcome,
        _ elapsed: Duration,
        _ form: ReplyForm,
        _ attempt: Int
    ) -> Step {
        self.searchTime += elapsed
        if self.candidates.isEmpty { self.recordEvidence(.protocolSearch, .ignored, "0100", outcome, elapsed) }
        guard case .reply(let lines) = outcome else { return self.noVehicle(.noData, hasSearched: true) }
        let read = lines.map { ReplyLine($0) }
        if outcome.acceptance == .restarted { return .failed(.unusableReply(lines)) }
        let hasData = read.contains { if case .data = $0 { true } else { false } }
        for case .notice(let notice) in read where !hasData && notice != .lowPower {
            let isTransient = [.stopped, .busBusy, .damaged, .bufferFull].contains(notice)
            if isTransient && attempt == 0 { return self.search(attempt: 1) }
            let hasSearched =
                lines.contains { compact($0).contains("SEARCHING") } || notice == .unableToConnect || isTransient
            return self.noVehicle(notice, hasSearched: hasSearched)
        }
        if self.candidates.isEmpty { self.report.assessments[.protocolSearch]?.verdict = .works }
        self.judgeForm(lines, form, elapsed, of: "0100")
        self.state = .describingProtocol(lines: lines, elapsed: elapsed)
        return .send(AdapterCommand("ATDPN"))
    }

    /// Judges echo, line feeds and spaces by the reply itself.
    private mutating func judgeForm(_ lines: [String], _ form: ReplyForm, _ elapsed: Duration, of request: String) {
        let data = lines.filter { if case .data = ReplyLine($0) { true } else { false } }
        guard !data.isEmpty else { return }
        let hasSpaces = data.contains { $0.contains(" ") }
        for (capability, isGone) in [
            (.echoOff, !form.contains(.echo)), (.linefeedsOff, !form.contains(.linefeeds)), (.spacesOff, !hasSpaces),
        ] as [(Capability, Bool)] {
            let evidence = Assessment.Evidence(request: request, outcome: .reply(lines), duration: elapsed)
            self.report.assessments[capability]?.evidence.append(evidence)
            if isGone { self.report.assessments[capability]?.verdict = .works }
        }
    }

    private mutating func noVehicle(_ notice: Notice, hasSearched: Bool) -> Step {
        // The adapter's search has tried all protocols. In the agent's search, the next protocol follows.
        guard !self.candidates.isEmpty || !hasSearched else {
            self.report.assessments[.protocolSearch]?.verdict = .notTested("no vehicle answers")
            return self.searchDialect(DialectSearch(everywhereWith: self.requests), or: .noVehicle(notice))
        }
        return self.tryNextProtocol(or: .noVehicle(notice))
    }

    private mutating func described(
        _ outcome: CommandOutcome,
        _ elapsed: Duration,
        _ lines: [String],
        _ requestTime: Duration
    ) -> Step {
        let reported = Self.reportedProtocol(outcome)
        // The frames decide if the adapter reports no protocol, or one that its frames contradict.
        var headerless = false
        var refusing: BusProtocol?
        for bus in [reported, self.candidates.first].compactMap({ $0 }) + Self.order {
            let reply = ReplyInterpreter(lines, to: Self.firstRequest, on: bus)
            headerless = headerless || reply.hasHeaderlessData
            let ecus = reply.positives
            if ecus.isEmpty && !reply.replies.isEmpty { refusing = refusing ?? bus }
            guard !ecus.isEmpty else { continue }
            self.report.bus = bus
            self.report.ecus = ecus
            self.recordEvidence(.headers, .works, "0100", .reply(lines), requestTime)
            let verdict = reported == bus ? Verdict.works : outcome.isRefused ? .refused : .ignored
            self.recordEvidence(.protocolReport, verdict, "ATDPN", outcome, elapsed)
            return .finished(self.report)
        }
        // ECUs that refuse the service may know the services of J1979-2, or those of the manufacturer.
        let search = refusing.flatMap { DialectSearch(on: $0, self.requests) }
        return self.searchDialect(search, or: headerless ? .headersIgnored : .unusableReply(lines))
    }

    /// Returns the protocol in the reply to `AT DPN`: "A6" after a search, "6" if it was set.
    private static func reportedProtocol(_ outcome: CommandOutcome) -> BusProtocol? {
        guard case .reply(let lines) = outcome else { return nil }
        return lines.lazy.map { compact($0) }.filter { 1...2 ~= $0.count }
            .compactMap { $0.last.flatMap(BusProtocol.init(number:)) }.first
    }
}
