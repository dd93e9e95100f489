// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Brings an adapter from whatever state it is in to one that answers requests with headers.
///
/// It tests what works and believes no version text: an `OK` is worth nothing until its effect is seen. A machine of
/// steps: the driver performs each, and reports how the command ended.
package struct StartUp: Sendable {
    package enum Step: Hashable, Sendable {
        case send(Command)
        /// An ECU answered.
        case finished(AdapterReport)
        case failed(StartUpError)
    }

    /// What is going on, for people who wait.
    package enum Phase: Hashable, Sendable {
        case resetting, configuring
        /// Looking for an ECU; the protocol where it is not left to the adapter.
        case searching(BusProtocol?)
    }

    /// How an adapter is brought into a known state.
    package enum Reset: Hashable, Sendable {
        /// `AT Z`, as if it were plugged in anew.
        case full
        /// `AT WS`, which leaves the radio of some combined chips alone.
        case warm
        /// `AT D`, which changes settings only.
        case soft

        /// What to try where this one breaks the link.
        package var gentler: Reset { self == .full ? .warm : .soft }

        fileprivate var commands: ArraySlice<String> { self == .soft ? ["ATD"] : ["ATWS", "ATD"] }
    }

    private enum State: Hashable, Sendable {
        case resetting(attempt: Int)
        case identifying
        /// Back to defaults without `AT Z`: the first of these that is understood.
        case clearing(ArraySlice<String>)
        case configuring(index: Int, attempt: Int)
        case choosingProtocol
        case searching(attempt: Int)
        case describingProtocol(lines: [String], took: Duration)
        /// No ECU speaks SAE J1979: which error it is if none speaks anything else.
        case searchingDialect(DialectSearch, StartUpError)
    }

    /// How often the voltage is read until it makes sense.
    private static let voltageAttempts = 3
    /// For how long protocols are tried, one after the other.
    static let searchLimit = Duration.seconds(90)

    /// The order in which protocols are tried where the adapter can't search: the likeliest first.
    private static let order: [BusProtocol] = [
        .can11at500, .can29at500, .can11at250, .can29at250, .kwpFast, .kwp5Baud, .iso9141, .j1850VPW, .j1850PWM,
    ]

    private static let firstRequest = BusRequest(payload: [0x01, 0x00], echo: [0x00], lengths: 6...6)

    private let reset: Reset
    private let configured: BusProtocol?
    private var state = State.resetting(attempt: 0)
    /// Protocols still to try, the present one first; empty while the adapter searches by itself.
    private var candidates: [BusProtocol]
    private var searchTime = Duration.zero
    /// Whether what a reset brings back by itself is left for later.
    private var isFresh = false

    /// What is going on.
    package private(set) var phase = Phase.resetting
    /// What is known so far.
    package private(set) var report = AdapterReport()

    /// - Parameters:
    ///   - bus: the protocol to use, or nil to let the adapter search.
    ///   - reset: how to begin.
    package init(bus: BusProtocol? = nil, reset: Reset = .full) {
        self.candidates = bus.map { [$0] } ?? []
        self.configured = bus
        self.reset = reset
        if bus != nil {
            self.report.assessments[.protocolSearch] = Assessment(.notTested("the protocol is configured"))
        }
    }

    /// The first step.
    package mutating func begin() -> Step {
        guard self.reset == .full else {
            self.report.assessments[.reset] = Assessment(.notTested("it broke the link"))
            return self.identify()
        }
        self.state = .resetting(attempt: 0)
        return .send(Command("ATZ", timeout: AdapterCommand.resetTimeout))
    }

    /// The command ended with `outcome` after so long, and its reply had this form.
    package mutating func performed(_ outcome: CommandOutcome, took: Duration, form: ReplyForm = []) -> Step {
        // Echo and line feeds are odd only once they have been switched off.
        self.report.forms.formUnion(
            self.phase == .resetting || self.phase == .configuring ? form.subtracting([.echo, .linefeeds]) : form
        )
        switch self.state {
        case .resetting(let attempt): return self.wasReset(outcome, took, attempt)
        case .identifying: return self.identified(outcome)
        case .clearing(let commands): return self.cleared(outcome, commands)
        case .configuring(let index, let attempt): return self.configured(outcome, took, form, index, attempt)
        case .choosingProtocol: return self.choseProtocol(outcome, took)
        case .searching(let attempt): return self.searched(outcome, took, form, attempt)
        case .describingProtocol(let lines, let before): return self.described(outcome, took, lines, before)
        case .searchingDialect(var search, let error):
            let step = search.performed(outcome)
            return self.searchedDialect(search, step, took, or: error)
        }
    }

    private mutating func note(
        _ capability: Capability,
        _ verdict: Verdict,
        _ request: String,
        _ outcome: CommandOutcome,
        _ took: Duration
    ) {
        let evidence = Assessment.Evidence(request: request, outcome: outcome, took: took)
        self.report.assessments[capability, default: Assessment(verdict)].evidence.append(evidence)
        self.report.assessments[capability]?.verdict = verdict
    }

    // MARK: - The adapter

    private mutating func wasReset(_ outcome: CommandOutcome, _ took: Duration, _ attempt: Int) -> Step {
        guard case .reply(let lines) = outcome else {
            // One clone never answers AT Z, but AT I.
            self.note(.reset, .refused, "ATZ", outcome, took)
            return self.identify()
        }
        if let banner = lines.first(where: { compact($0).contains("ELM327") }) {
            self.note(.reset, .works, "ATZ", outcome, took)
            // Noise or the echo may stand before it.
            self.report.identity = banner.firstRange(of: "ELM327").map { String(banner[$0.lowerBound...]) } ?? banner
            return self.configure(0)
        }
        self.note(.reset, .ignored, "ATZ", outcome, took)
        // Left-over bytes make some adapters answer the first command with "?".
        guard attempt == 0 else { return self.identify() }
        self.state = .resetting(attempt: 1)
        return .send(Command("ATZ", timeout: AdapterCommand.resetTimeout))
    }

    private mutating func identify() -> Step {
        self.state = .identifying
        return .send(Command("ATI", timeout: AdapterCommand.timeout))
    }

    private mutating func identified(_ outcome: CommandOutcome) -> Step {
        guard case .reply(let lines) = outcome, let line = lines.last, compact(line) != "?" else {
            return .failed(.notAnAdapter)
        }
        if self.reset == .full { self.report.unsupported.append("ATZ") }
        self.report.identity = line
        return self.clear(self.reset.commands)
    }

    private mutating func clear(_ commands: ArraySlice<String>) -> Step {
        guard let command = commands.first else { return self.configure(0) }
        self.state = .clearing(commands)
        return .send(Command(command, timeout: AdapterCommand.resetTimeout))
    }

    private mutating func cleared(_ outcome: CommandOutcome, _ commands: ArraySlice<String>) -> Step {
        if outcome == .silence(prompted: false) { return .failed(.adapterSilent) }
        guard outcome.isRefused else { return self.configure(0) }
        self.report.unsupported += commands.prefix(1)
        return self.clear(commands.dropFirst())
    }

    private mutating func configure(_ index: Int, attempt: Int = 0) -> Step {
        self.phase = .configuring
        guard index < Self.settings.count else { return self.chooseProtocol() }
        if self.isFresh, Self.settings[index].isDefault {
            self.report.postponed.append(Self.settings[index].line)
            return self.configure(index + 1)
        }
        self.state = .configuring(index: index, attempt: attempt)
        return .send(Command(Self.settings[index].line, timeout: AdapterCommand.timeout))
    }

    private mutating func configured(
        _ outcome: CommandOutcome,
        _ took: Duration,
        _ form: ReplyForm,
        _ index: Int,
        _ attempt: Int
    ) -> Step {
        if outcome == .silence(prompted: false) { return .failed(.adapterSilent) }
        // The effect of the reset is seen: the echo is back.
        if index == 0 { self.isFresh = self.report.works(.reset) && form.contains(.echo) }
        let setting = Self.settings[index]
        let isRefused = outcome.isRefused
        // That it is accepted proves nothing yet.
        if let capability = setting.capability {
            self.note(capability, isRefused ? .refused : .ignored, setting.line, outcome, took)
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
        return .send(Command("ATSP\(number)", timeout: AdapterCommand.timeout))
    }

    private mutating func choseProtocol(_ outcome: CommandOutcome, _ took: Duration) -> Step {
        if outcome == .silence(prompted: false) { return .failed(.adapterSilent) }
        let line = "ATSP\(self.candidates.first?.number ?? "0")"
        let isRefused = if case .reply = outcome { outcome.isRefused } else { false }
        if self.candidates.isEmpty { self.note(.protocolSearch, isRefused ? .refused : .ignored, line, outcome, took) }
        guard isRefused else { return self.search(attempt: 0) }
        self.report.unsupported.append(line)
        return self.tryNextProtocol(or: .noVehicle(.notUnderstood))
    }

    private mutating func search(attempt: Int) -> Step {
        self.state = .searching(attempt: attempt)
        return .send(Command("0100", timeout: AdapterCommand.searchTimeout, service: 0x01))
    }

    private mutating func tryNextProtocol(or error: StartUpError) -> Step {
        if self.candidates.isEmpty {
            // This adapter can't search: we do.
            self.candidates = Self.order
        } else {
            self.candidates.removeFirst()
        }
        let isOver = self.candidates.isEmpty || self.searchTime >= Self.searchLimit
        return isOver ? self.searchDialect(self.remaining, or: error) : self.chooseProtocol()
    }

    /// Where else to look once nobody has answered.
    private var remaining: DialectSearch? {
        self.configured.map(DialectSearch.on) ?? .everywhere
    }

    private mutating func searchDialect(_ search: DialectSearch?, or error: StartUpError) -> Step {
        guard var search else { return .failed(error) }
        let step = search.begin()
        return self.searchedDialect(search, step, .zero, or: error)
    }

    private mutating func searchedDialect(
        _ search: DialectSearch,
        _ step: DialectSearch.Step,
        _ took: Duration,
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
        case .nobody: return .failed(error)
        case .notSupported(let bus): return .failed(.protocolNotSupported(bus))
        case .adapterSilent: return .failed(.adapterSilent)
        }
    }

    private mutating func searched(
        _ outcome: CommandOutcome,
        _ took: Duration,
        _ form: ReplyForm,
        _ attempt: Int
    ) -> Step {
        self.searchTime += took
        if outcome == .silence(prompted: false) { return .failed(.adapterSilent) }
        if self.candidates.isEmpty { self.note(.protocolSearch, .ignored, "0100", outcome, took) }
        guard case .reply(let lines) = outcome else { return self.noVehicle(.noData, hasSearched: true) }
        let read = lines.map { ReplyLine($0) }
        if read.contains(.notice(.restarted)) { return .failed(.unusableReply(lines)) }
        let hasData = read.contains { if case .data = $0 { true } else { false } }
        for case .notice(let notice) in read where !hasData && notice != .lowPower {
            let isPassing = [.stopped, .busBusy, .damaged, .bufferFull].contains(notice)
            if isPassing && attempt == 0 { return self.search(attempt: 1) }
            let hasSearched =
                lines.contains { compact($0).contains("SEARCHING") } || notice == .unableToConnect || isPassing
            return self.noVehicle(notice, hasSearched: hasSearched)
        }
        if self.candidates.isEmpty { self.report.assessments[.protocolSearch]?.verdict = .works }
        self.judgeForm(lines, form, took)
        self.state = .describingProtocol(lines: lines, took: took)
        return .send(Command("ATDPN", timeout: AdapterCommand.timeout))
    }

    /// Whether echo, line feeds and spaces are gone, which is what counts.
    private mutating func judgeForm(_ lines: [String], _ form: ReplyForm, _ took: Duration) {
        let hasSpaces = lines.contains { line in
            if case .data = ReplyLine(line) { line.contains(" ") } else { false }
        }
        for (capability, isGone) in [
            (.echoOff, !form.contains(.echo)), (.linefeedsOff, !form.contains(.linefeeds)), (.spacesOff, !hasSpaces),
        ] as [(Capability, Bool)] {
            let evidence = Assessment.Evidence(request: "0100", outcome: .reply(lines), took: took)
            self.report.assessments[capability]?.evidence.append(evidence)
            if isGone { self.report.assessments[capability]?.verdict = .works }
        }
    }

    private mutating func noVehicle(_ notice: Notice, hasSearched: Bool) -> Step {
        // A search by the adapter has tried everything; of our own, the next protocol may do.
        guard !self.candidates.isEmpty || !hasSearched else {
            self.report.assessments[.protocolSearch]?.verdict = .notTested("no vehicle answers")
            return self.searchDialect(.everywhere, or: .noVehicle(notice))
        }
        return self.tryNextProtocol(or: .noVehicle(notice))
    }

    private mutating func described(
        _ outcome: CommandOutcome,
        _ took: Duration,
        _ lines: [String],
        _ tookFirst: Duration
    ) -> Step {
        if outcome == .silence(prompted: false) { return .failed(.adapterSilent) }
        let told = Self.told(outcome)
        // Where it tells nothing, or something that its own frames contradict, the frames decide.
        var headerless = false
        var refusing: BusProtocol?
        for bus in [told, self.candidates.first].compactMap({ $0 }) + Self.order {
            let reply = ReplyInterpreter(lines, to: Self.firstRequest, on: bus)
            headerless = headerless || reply.hasHeaderlessData
            let ecus = reply.replies.compactMapValues { reply -> [[UInt8]]? in
                guard case .positive(let messages) = reply else { return nil }
                return messages
            }
            if ecus.isEmpty && !reply.replies.isEmpty { refusing = refusing ?? bus }
            guard !ecus.isEmpty else { continue }
            self.report.bus = bus
            self.report.ecus = ecus
            self.note(.headers, .works, "0100", .reply(lines), tookFirst)
            let isRefused = outcome.isRefused
            self.note(.protocolReport, told == bus ? .works : isRefused ? .refused : .ignored, "ATDPN", outcome, took)
            return .finished(self.report)
        }
        // ECUs that are there and do not know the service may know those of J1979-2.
        let search = refusing.flatMap(DialectSearch.on)
        return self.searchDialect(search, or: headerless ? .headersIgnored : .unusableReply(lines))
    }

    /// The protocol that `AT DPN` tells: "A6" where it was searched for, "6" where it was set.
    private static func told(_ outcome: CommandOutcome) -> BusProtocol? {
        guard case .reply(let lines) = outcome else { return nil }
        return lines.lazy.map { compact($0) }.filter { 1...2 ~= $0.count }
            .compactMap { $0.last.flatMap(BusProtocol.init(number:)) }.first
    }
}
