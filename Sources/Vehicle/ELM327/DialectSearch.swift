// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Looks for a vehicle that does not answer the services of SAE J1979.
///
/// On CAN it asks as SAE J1979-2 does, which a car that knows nothing of it ignores. For J1939 it only listens, silently,
/// so that it can't disturb a bus of another speed; it asks only where J1939 is what was configured.
struct DialectSearch: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case send(Command)
        case found(BusProtocol, [ECUAddress: [[UInt8]]])
        /// Nobody answers.
        case nobody
        /// The adapter does not know the protocol.
        case notSupported(BusProtocol)
        case adapterSilent
    }

    /// What is tried.
    private enum Attempt: Hashable, Sendable {
        /// OBD on UDS; the protocol has to be chosen first or not.
        case part2(BusProtocol, isChosen: Bool)
        /// J1939; may be asked or only listened to.
        case j1939(mayAsk: Bool)
    }

    private enum State: Hashable, Sendable {
        case choosing, asking, silencing
        case listening(Int)
    }

    private static let part2Request = BusRequest(payload: [0x22, 0xF4, 0x00], echo: [0xF4, 0x00], lengths: 7...7)
    /// What an engine broadcasts while its ECU is awake: engine speed, ten times a second, and its active codes.
    private static let broadcasts: [(request: BusRequest, duration: Duration)] = [
        (BusRequest(group: 0xF004), .seconds(1)), (BusRequest(group: 0xFECA), .seconds(3)),
    ]

    private var attempts: ArraySlice<Attempt>
    private var state = State.choosing

    private init(_ attempts: [Attempt]) {
        self.attempts = attempts[...]
    }

    /// After a search through all protocols of SAE J1979.
    static let everywhere = DialectSearch([
        .part2(.can11at500, isChosen: false), .part2(.can29at500, isChosen: false), .j1939(mayAsk: false),
    ])

    /// On a bus that is chosen already; nil where only J1979 is spoken.
    static func on(_ bus: BusProtocol) -> DialectSearch? {
        bus.isCAN ? DialectSearch([.part2(bus, isChosen: true)]) : nil
    }

    /// On J1939 alone, because that is configured.
    static let j1939 = DialectSearch([.j1939(mayAsk: true)])

    /// The protocol that is tried.
    var bus: BusProtocol {
        switch self.attempts.first {
        case .part2(let bus, _): bus
        case .j1939, nil: .j1939
        }
    }

    /// The first step, and the first of each attempt.
    mutating func begin() -> Step {
        switch self.attempts.first {
        case nil: return .nobody
        case .part2(_, isChosen: true): return self.ask()
        case .j1939(mayAsk: false):
            self.state = .silencing
            return .send(Command("ATCSM1", timeout: AdapterCommand.timeout))
        case .part2, .j1939: return self.choose()
        }
    }

    /// The command ended with `outcome`.
    mutating func performed(_ outcome: CommandOutcome) -> Step {
        if outcome == .silence(prompted: false) { return .adapterSilent }
        switch self.state {
        case .silencing:
            // Who can't be silent is not let onto a bus that may have another speed.
            return Self.isAccepted(outcome) ? self.choose() : self.next()
        case .choosing:
            switch self.attempts.first {
            case .part2: return Self.isRefused(outcome) ? self.next() : self.ask()
            case .j1939(let mayAsk):
                guard Self.isRefused(outcome) else { return self.listen(0) }
                return mayAsk ? .notSupported(.j1939) : self.next()
            case nil: return .nobody
            }
        case .listening(let index):
            let request = Self.broadcasts[index].request
            return self.answer(outcome, to: request)
                ?? (index + 1 < Self.broadcasts.count ? self.listen(index + 1) : self.listenedInVain())
        case .asking:
            let request = self.bus == .j1939 ? Self.broadcasts[Self.broadcasts.count - 1].request : Self.part2Request
            return self.answer(outcome, to: request) ?? self.next()
        }
    }

    private mutating func next() -> Step {
        self.attempts.removeFirst()
        return self.begin()
    }

    private mutating func choose() -> Step {
        self.state = .choosing
        return .send(Command("ATSP\(self.bus.number)", timeout: AdapterCommand.timeout))
    }

    private mutating func listen(_ index: Int) -> Step {
        self.state = .listening(index)
        return .send(.listening(to: Self.broadcasts[index].request, for: Self.broadcasts[index].duration))
    }

    private mutating func listenedInVain() -> Step {
        self.attempts.first == .j1939(mayAsk: true) ? self.ask() : self.next()
    }

    private mutating func ask() -> Step {
        self.state = .asking
        guard self.bus == .j1939 else { return .send(Command("22F400", timeout: .seconds(3), service: 0x22)) }
        return .send(Command("00FECA", timeout: .seconds(3)))
    }

    /// What was found, if anything.
    private func answer(_ outcome: CommandOutcome, to request: BusRequest) -> Step? {
        guard case .reply(let lines) = outcome else { return nil }
        let ecus = ReplyInterpreter(lines, to: request, on: self.bus).replies
            .compactMapValues { reply -> [[UInt8]]? in
                guard case .positive(let messages) = reply else { return nil }
                return messages
            }
        return ecus.isEmpty ? nil : .found(self.bus, ecus)
    }

    private static func isRefused(_ outcome: CommandOutcome) -> Bool {
        guard case .reply(let lines) = outcome else { return false }
        return lines.last.map { compact($0) } == "?"
    }

    private static func isAccepted(_ outcome: CommandOutcome) -> Bool {
        guard case .reply(let lines) = outcome else { return false }
        return lines.last.map { compact($0) } == "OK"
    }
}
