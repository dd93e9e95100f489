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

    private enum State: Hashable, Sendable {
        case resetting(attempt: Int)
        case identifying
        case configuring(index: Int)
        case choosingProtocol
        case searching(attempt: Int)
        case describingProtocol(lines: [String])
    }

    /// Settings, each with whether start-up can do without.
    private static let settings: [(line: String, isNeeded: Bool)] = [
        ("ATE0", false), ("ATL0", false), ("ATS0", false), ("ATM0", false), ("ATH1", true), ("ATAT1", false),
        ("ATCAF1", false), ("STI", false), ("ATRV", false),
    ]

    /// The order in which protocols are tried where the adapter can't search: the likeliest first.
    private static let order: [BusProtocol] = [
        .can11at500, .can29at500, .can11at250, .can29at250, .kwpFast, .kwp5Baud, .iso9141, .j1850VPW, .j1850PWM,
    ]

    private static let firstRequest = BusRequest(payload: [0x01, 0x00], echo: [0x00], lengths: 6...6)

    private var state = State.resetting(attempt: 0)
    private var report = AdapterReport()
    /// Protocols still to try, the present one first; empty while the adapter searches by itself.
    private var candidates: [BusProtocol]

    /// What is going on.
    package private(set) var phase = Phase.resetting

    /// - Parameter bus: the protocol to use, or nil to let the adapter search.
    package init(bus: BusProtocol? = nil) {
        self.candidates = bus.map { [$0] } ?? []
    }

    /// The first step.
    package mutating func begin() -> Step {
        self.state = .resetting(attempt: 0)
        return .send(Command("ATZ", timeout: AdapterCommand.resetTimeout))
    }

    /// The command ended with `outcome`.
    package mutating func performed(_ outcome: CommandOutcome) -> Step {
        switch self.state {
        case .resetting(let attempt): self.wasReset(outcome, attempt: attempt)
        case .identifying: self.identified(outcome)
        case .configuring(let index): self.configured(outcome, index: index)
        case .choosingProtocol: self.choseProtocol(outcome)
        case .searching(let attempt): self.searched(outcome, attempt: attempt)
        case .describingProtocol(let lines): self.described(outcome, firstReply: lines)
        }
    }

    // MARK: - The adapter

    private mutating func wasReset(_ outcome: CommandOutcome, attempt: Int) -> Step {
        switch outcome {
        case .reply(let lines):
            if let banner = lines.first(where: { compact($0).contains("ELM327") }) {
                // Noise or the echo may stand before it.
                self.report.identity =
                    banner.firstRange(of: "ELM327").map { String(banner[$0.lowerBound...]) } ?? banner
                return self.configure(0)
            }
            // Left-over bytes make some adapters answer the first command with "?".
            guard attempt == 0 else { return self.identify() }
            self.state = .resetting(attempt: 1)
            return .send(Command("ATZ", timeout: AdapterCommand.resetTimeout))
        case .silence, .overflow:
            // One clone never answers AT Z, but AT I.
            return self.identify()
        }
    }

    private mutating func identify() -> Step {
        self.state = .identifying
        return .send(Command("ATI", timeout: AdapterCommand.timeout))
    }

    private mutating func identified(_ outcome: CommandOutcome) -> Step {
        guard case .reply(let lines) = outcome, let line = lines.last, compact(line) != "?" else {
            return .failed(.notAnAdapter)
        }
        self.report.unsupported.append("ATZ")
        self.report.identity = line
        return self.configure(0)
    }

    private mutating func configure(_ index: Int) -> Step {
        self.phase = .configuring
        guard index < Self.settings.count else { return self.chooseProtocol() }
        self.state = .configuring(index: index)
        return .send(Command(Self.settings[index].line, timeout: AdapterCommand.timeout))
    }

    private mutating func configured(_ outcome: CommandOutcome, index: Int) -> Step {
        let setting = Self.settings[index]
        switch outcome {
        case .silence(prompted: false):
            return .failed(.adapterSilent)
        case .silence, .overflow:
            self.report.unsupported.append(setting.line)
        case .reply(let lines):
            let isRefused = lines.last.map { compact($0) == "?" } ?? true
            if isRefused && setting.isNeeded { return .failed(.headersIgnored) }
            switch setting.line {
            case "STI": self.report.firmware = lines.last.flatMap { compact($0).hasPrefix("STN") ? $0 : nil }
            case "ATRV": self.report.voltage = AdapterCommand.voltage(in: lines)
            default: if isRefused { self.report.unsupported.append(setting.line) }
            }
        }
        return self.configure(index + 1)
    }

    // MARK: - The bus

    private mutating func chooseProtocol() -> Step {
        self.state = .choosingProtocol
        self.phase = .searching(self.candidates.first)
        let number = self.candidates.first?.number ?? "0"
        return .send(Command("ATSP\(number)", timeout: AdapterCommand.timeout))
    }

    private mutating func choseProtocol(_ outcome: CommandOutcome) -> Step {
        switch outcome {
        case .silence(prompted: false):
            return .failed(.adapterSilent)
        case .reply(let lines) where lines.last.map({ compact($0) }) == "?":
            self.report.unsupported.append("ATSP\(self.candidates.first?.number ?? "0")")
            return self.tryNextProtocol(or: .noVehicle(.notUnderstood))
        case .reply, .silence, .overflow:
            return self.search(attempt: 0)
        }
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
        return self.candidates.isEmpty ? .failed(error) : self.chooseProtocol()
    }

    private mutating func searched(_ outcome: CommandOutcome, attempt: Int) -> Step {
        guard case .reply(let lines) = outcome else {
            if outcome == .silence(prompted: false) { return .failed(.adapterSilent) }
            return self.noVehicle(.noData)
        }
        let read = lines.map { ReplyLine($0) }
        if read.contains(.notice(.restarted)) { return .failed(.unusableReply(lines)) }
        let hasData = read.contains { if case .data = $0 { true } else { false } }
        for case .notice(let notice) in read where !hasData && notice != .lowPower {
            let isPassing = [.stopped, .busBusy, .damaged, .bufferFull].contains(notice)
            return isPassing && attempt == 0 ? self.search(attempt: 1) : self.noVehicle(notice)
        }
        self.state = .describingProtocol(lines: lines)
        return .send(Command("ATDPN", timeout: AdapterCommand.timeout))
    }

    private mutating func noVehicle(_ notice: Notice) -> Step {
        // A search by the adapter has tried everything; of our own, the next protocol may do.
        guard !self.candidates.isEmpty else { return .failed(.noVehicle(notice)) }
        return self.tryNextProtocol(or: .noVehicle(notice))
    }

    private mutating func described(_ outcome: CommandOutcome, firstReply lines: [String]) -> Step {
        var told: BusProtocol?
        if case .reply(let description) = outcome {
            // "A6" where it was searched for, "6" where it was set.
            told =
                description.lazy.map { compact($0) }.filter { 1...2 ~= $0.count }
                .compactMap { $0.last.flatMap(BusProtocol.init(number:)) }.first
        } else if outcome == .silence(prompted: false) {
            return .failed(.adapterSilent)
        }
        // Where it tells nothing, or something that its own frames contradict, the frames decide.
        var headerless = false
        for bus in [told, self.candidates.first].compactMap({ $0 }) + Self.order {
            let reply = ReplyInterpreter(lines, to: Self.firstRequest, on: bus)
            headerless = headerless || reply.hasHeaderlessData
            let ecus = reply.replies.compactMapValues { reply -> [[UInt8]]? in
                guard case .positive(let messages) = reply else { return nil }
                return messages
            }
            guard !ecus.isEmpty else { continue }
            self.report.bus = bus
            self.report.ecus = ecus
            return .finished(self.report)
        }
        return .failed(headerless ? .headersIgnored : .unusableReply(lines))
    }
}
