// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327

/// Finds the ECUs on a CAN bus: those with 11-bit identifiers first, then those with 29 bits, and those of SAE J1939 last.
///
/// J1939 is listened for; it is asked for only if it is configured, because other vehicles may use its identifiers for
/// something else. The bit rate is that of the interface. This is a state machine: the driver asks each request, and
/// reports its result.
package struct CANStartUp: Sendable {
    package enum Step: Hashable, Sendable {
        case ask(BusRequest, BusProtocol)
        /// Listen for a group of J1939 as long as the request says, and request nothing.
        case listen(BusRequest)
        /// An ECU answered.
        case finished(AdapterReport)
        case failed(StartUpError)
    }

    /// A group of requests of which one answer is enough.
    private enum Attempt: Hashable, Sendable {
        case standard(BusProtocol)
        /// OBD on UDS (SAE J1979-2).
        case part2(BusProtocol)
        /// The requests to single ECUs that are left.
        case single(BusProtocol, ArraySlice<BusRequest>)
        /// A group that the engine's ECU of a J1939 vehicle broadcasts.
        case broadcast(BusRequest)
        /// The active codes of a J1939 vehicle, which are requested.
        case codes

        var bus: BusProtocol {
            switch self {
            case .standard(let bus), .part2(let bus), .single(let bus, _): bus
            case .broadcast, .codes: .j1939
            }
        }
    }

    private static let standard = BusRequest(payload: [0x01, 0x00], echo: [0x00], lengths: 6...6)
    private static let part2 = BusRequest(payload: [0x22, 0xF4, 0x00], echo: [0xF4, 0x00], lengths: 7...7)
    private static let activeCodes: UInt32 = 0xFECA
    /// The broadcasts of an engine that is on: its speed, ten times a second or more, and its active codes, once a second.
    private static let broadcasts: [Attempt] = [
        .broadcast(BusRequest(group: 0xF004, listening: .seconds(1))),
        .broadcast(BusRequest(group: Self.activeCodes, listening: .seconds(3), isSlow: true)),
    ]

    private var attempts: ArraySlice<Attempt>
    private var ecus: [ECUAddress: [[UInt8]]] = [:]
    private var lastNotice = Notice.noData
    private let configured: BusProtocol?

    /// The findings so far.
    package private(set) var report = AdapterReport()
    /// The bus of the present request.
    package var bus: BusProtocol { self.attempts.first?.bus ?? self.report.bus }

    /// - Parameters:
    ///   - name: the name of the interface.
    ///   - bitRate: the bit rate of the interface; nil: it has none, and counts as 500,000.
    ///   - bus: the bus on which ECUs are asked; nil to ask with 11 and with 29 bits, and to listen for J1939. Its bit rate
    ///     does not count.
    ///   - requests: the requests to single ECUs that are tried if no ECU answers a standard request.
    package init(name: String, bitRate: UInt32?, bus: BusProtocol?, requests: [BusRequest] = []) {
        let all: [BusProtocol] =
            bitRate == 250_000 ? [.can11at250, .can29at250] : [.can11at500, .can29at500]
        let buses = all.filter { bus == nil || $0.hasExtendedIdentifiers == bus?.hasExtendedIdentifiers }
        self.configured = bus
        self.attempts = []
        if bus?.isCAN ?? true {
            self.attempts += buses.map { .standard($0) } + buses.map { .part2($0) }
            for bus in buses {
                let single = requests.filter { $0.fits(bus) }.prefix(StartUp.requestLimit)
                if !single.isEmpty { self.attempts.append(.single(bus, single)) }
            }
        }
        if bus == nil || bus == .j1939 { self.attempts += Self.broadcasts }
        if bus == .j1939 { self.attempts.append(.codes) }
        self.report.identity = "SocketCAN \(name)"
        // The kernel and the controller do these by definition; the planner relies on the first.
        for capability in [Capability.multiplePIDs, .longMessages, .headers, .physicalAddressing, .flowControl] {
            self.report.assessments[capability] = Assessment(.works, note: "by the kernel")
        }
    }

    /// Returns the first step.
    package mutating func begin() -> Step {
        if self.attempts.isEmpty, let bus = self.configured { return .failed(.protocolNotSupported(bus)) }
        return self.next()
    }

    private mutating func next() -> Step {
        switch self.attempts.first {
        case nil: return .failed(.noVehicle(self.lastNotice))
        case .standard(let bus): return .ask(Self.standard, bus)
        case .part2(let bus): return .ask(Self.part2, bus)
        case .broadcast(let request): return .listen(request)
        case .codes: return .ask(BusRequest(group: Self.activeCodes, isSlow: true), .j1939)
        case .single(let bus, let requests):
            if let request = requests.first { return .ask(request, bus) }
            if !self.ecus.isEmpty { return self.found(on: bus) }
            self.attempts.removeFirst()
            return self.next()
        }
    }

    private mutating func found(on bus: BusProtocol) -> Step {
        self.report.bus = bus
        self.report.ecus = self.ecus
        return .finished(self.report)
    }

    /// Takes the result of the request, and returns the next step.
    package mutating func answered(_ result: BusResult) -> Step {
        guard let attempt = self.attempts.popFirst() else { return self.next() }
        switch (result.outcome, attempt) {
        case (.busUnavailable(let notice), _): return .failed(.noVehicle(notice))
        case (.answered(let replies), .single(_, let requests)):
            // A negative answer counts too: the ECU is there.
            for (ecu, reply) in replies where self.ecus[ecu] == nil {
                switch reply {
                case .positive(let messages): self.ecus[ecu] = messages
                case .negative(let code): self.ecus[ecu] = [[0x7F, requests.first?.service ?? 0, code]]
                }
            }
        case (.answered(let replies), _):
            let bus = attempt.bus
            for case (let ecu, .positive(let messages)) in replies { self.ecus[ecu] = messages }
            if !self.ecus.isEmpty { return self.found(on: bus) }
        default: break
        }
        if case .single(let bus, let requests) = attempt {
            self.attempts = [.single(bus, requests.dropFirst())] + self.attempts
        }
        return self.next()
    }
}
