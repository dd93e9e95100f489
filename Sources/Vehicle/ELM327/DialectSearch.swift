// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Searches for a vehicle that does not answer the services of SAE J1979.
///
/// On CAN the search sends a request of SAE J1979-2, which other vehicles ignore, and then the requests to single ECUs
/// that the caller knows. For J1939 it listens in silent mode, so that it cannot disturb a bus of another speed. It sends
/// a J1939 request only if J1939 is configured.
struct DialectSearch: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case send(AdapterCommand)
        case found(BusProtocol, [ECUAddress: [[UInt8]]])
        /// No ECU answered.
        case noVehicle
        /// The adapter does not support the protocol.
        case notSupported(BusProtocol)
    }

    /// A protocol and dialect to try.
    private enum Attempt: Hashable, Sendable {
        /// OBD on UDS (SAE J1979-2).
        case part2(BusProtocol)
        /// The requests to single ECUs.
        case requests(BusProtocol)
        /// J1939. `mayAsk` tells whether requests may be sent, or the search only listens.
        case j1939(mayAsk: Bool)
    }

    private enum State: Hashable, Sendable {
        case choosing, asking, silencing
        case listening(Int)
        case sendingRequests(RequestSearch)
    }

    private static let part2Request = BusRequest(payload: [0x22, 0xF4, 0x00], echo: [0xF4, 0x00], lengths: 7...7)
    /// The broadcasts of an engine whose ECU is awake: engine speed (ten times a second) and its active codes.
    private static let broadcasts: [(request: BusRequest, duration: Duration)] = [
        (BusRequest(group: 0xF004), .seconds(1)), (BusRequest(group: 0xFECA), .seconds(3)),
    ]

    private let requests: [BusRequest]
    private var attempts: ArraySlice<Attempt>
    private var state = State.choosing
    /// The protocol that the adapter is on; nil if it is not known.
    private var chosen: BusProtocol?

    private init(_ attempts: [Attempt], _ requests: [BusRequest] = [], chosen: BusProtocol? = nil) {
        self.attempts = attempts[...]
        self.requests = requests
        self.chosen = chosen
    }

    /// Creates the search that follows a search through all protocols of SAE J1979.
    ///
    /// - Parameter requests: the requests to single ECUs to try.
    init(everywhereWith requests: [BusRequest]) {
        let onCAN = [BusProtocol.can11at500, .can29at500].flatMap { Self.attempts(on: $0, requests) }
        self.init(onCAN + [.j1939(mayAsk: false)], requests)
    }

    /// Creates the search on a bus that is already chosen; nil if there is nothing to try on that bus.
    init?(on bus: BusProtocol, _ requests: [BusRequest]) {
        let attempts = Self.attempts(on: bus, requests)
        guard !attempts.isEmpty else { return nil }
        self.init(attempts, requests, chosen: bus)
    }

    private static func attempts(on bus: BusProtocol, _ requests: [BusRequest]) -> [Attempt] {
        let hasRequests = requests.contains { $0.fits(bus) }
        return (bus.isCAN ? [.part2(bus)] : []) + (hasRequests ? [.requests(bus)] : [])
    }

    /// The search on J1939 alone, for a configuration that names J1939.
    static let j1939 = DialectSearch([.j1939(mayAsk: true)])

    /// The protocol of the present attempt.
    var bus: BusProtocol {
        switch self.attempts.first {
        case .part2(let bus), .requests(let bus): bus
        case .j1939, nil: .j1939
        }
    }

    /// Returns the first step of the present attempt.
    mutating func begin() -> Step {
        switch self.attempts.first {
        case nil: return .noVehicle
        case .part2(let bus) where bus == self.chosen, .requests(let bus) where bus == self.chosen: return self.ask()
        case .j1939(mayAsk: false):
            self.state = .silencing
            return .send(AdapterCommand("ATCSM1"))
        case .part2, .requests, .j1939: return self.choose()
        }
    }

    /// Takes the outcome of the command, except that of a silent adapter, and returns the next step.
    mutating func commandEnded(_ outcome: CommandOutcome) -> Step {
        switch self.state {
        case .silencing:
            // An adapter without silent mode could disturb a bus of another speed, so it does not join that bus.
            return outcome.acceptance == .accepted ? self.choose() : self.next()
        case .choosing:
            let isRefused = if case .refused = outcome.acceptance { true } else { false }
            self.chosen = isRefused ? nil : self.bus
            switch self.attempts.first {
            case .part2, .requests: return isRefused ? self.next() : self.ask()
            case .j1939(let mayAsk):
                guard isRefused else { return self.listen(0) }
                return mayAsk ? .notSupported(.j1939) : self.next()
            case nil: return .noVehicle
            }
        case .listening(let index):
            let request = Self.broadcasts[index].request
            return self.answer(outcome, to: request)
                ?? (index + 1 < Self.broadcasts.count ? self.listen(index + 1) : self.broadcastMissing())
        case .sendingRequests(var search):
            let step = search.commandEnded(outcome)
            return self.searched(search, step)
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
        return .send(AdapterCommand("ATSP\(self.bus.number)"))
    }

    private mutating func listen(_ index: Int) -> Step {
        self.state = .listening(index)
        return .send(.listening(to: Self.broadcasts[index].request, for: Self.broadcasts[index].duration))
    }

    private mutating func broadcastMissing() -> Step {
        self.attempts.first == .j1939(mayAsk: true) ? self.ask() : self.next()
    }

    private mutating func searched(_ search: RequestSearch, _ step: RequestSearch.Step) -> Step {
        switch step {
        case .send(let command):
            self.state = .sendingRequests(search)
            return .send(command)
        case .finished(let ecus): return ecus.isEmpty ? self.next() : .found(self.bus, ecus)
        case .lost: return .noVehicle
        }
    }

    private mutating func ask() -> Step {
        if case .requests(let bus) = self.attempts.first {
            let requests = self.requests.filter { $0.fits(bus) }.prefix(StartUp.requestLimit)
            var search = RequestSearch(Array(requests), on: bus)
            let step = search.begin()
            return self.searched(search, step)
        }
        self.state = .asking
        guard self.bus == .j1939 else { return .send(AdapterCommand("22F400", timeout: .seconds(3), service: 0x22)) }
        return .send(AdapterCommand("00FECA", timeout: .seconds(3)))
    }

    /// Returns the vehicle that answered; nil if no ECU answered the request.
    private func answer(_ outcome: CommandOutcome, to request: BusRequest) -> Step? {
        guard case .reply(let lines) = outcome else { return nil }
        let ecus = ReplyInterpreter(lines, to: request, on: self.bus).positives
        return ecus.isEmpty ? nil : .found(self.bus, ecus)
    }
}
