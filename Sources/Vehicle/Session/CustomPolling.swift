// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

/// The custom parameters that this vehicle and this adapter support, and the adapter's settings after their requests.
///
/// A request to one ECU changes the adapter's settings. They count as restored only after a request to all ECUs was
/// answered by every ECU that must answer it.
struct CustomPolling: Sendable {
    /// The number of failed settings proofs after which the adapter is restarted.
    static let proofLimit = 2

    /// The parameters that every vehicle may have.
    private let common: [String: CustomParameter]
    /// All parameters, with those that only this vehicle has.
    private(set) var parameters: [String: CustomParameter]
    /// Whether the bus gives the frames that nodes send by themselves.
    private let hearsFrames: Bool
    /// Whether the settings have to be proved, because some ECU answers requests to all ECUs.
    private let provesSettings: Bool
    /// The destinations that the adapter cannot address.
    private(set) var refusals: Set<Destination>
    /// The destination of the last request to one ECU; nil once the adapter is proved to address all ECUs again.
    private(set) var unproven: Destination?
    /// The number of failed settings proofs since the last request to one ECU.
    private var proofs = 0

    init(
        _ parameters: [String: CustomParameter] = [:],
        refusals: Set<Destination> = [],
        provesSettings: Bool = true,
        hearsFrames: Bool = false
    ) {
        (self.common, self.parameters) = (parameters, parameters)
        self.hearsFrames = hearsFrames
        self.refusals = refusals
        self.provesSettings = provesSettings
    }

    /// Takes over the parameters that only this vehicle has; of equal names, those of every vehicle count.
    ///
    /// - Returns: whether they differ from those that were known.
    mutating func know(_ own: [CustomParameter]) -> Bool {
        let parameters = self.common.merging(own.map { ($0.name, $0) }) { first, _ in first }
        guard parameters != self.parameters else { return false }
        self.parameters = parameters
        return true
    }

    /// Returns the item that gives a parameter; nil if the bus or the adapter does not support its address.
    func item(for name: String, on bus: BusProtocol) -> PollItem? {
        guard self.isOnBus(name, bus) else { return nil }
        switch self.parameters[name]?.source {
        case .frame(let frame): return .frame(frame)
        case .request(let request) where !(request.destination.map(self.refusals.contains) ?? false):
            return .custom(request)
        case .request, nil: return nil
        }
    }

    /// Whether the bus has the address of a parameter.
    func isOnBus(_ name: String, _ bus: BusProtocol) -> Bool {
        if self.parameters[name]?.frame != nil { return self.hearsFrames }
        // On J1939 there are no requests of this kind.
        guard bus != .j1939, let request = self.parameters[name]?.request else { return false }
        return request.destination?.fits(isCAN: bus.isCAN, hasExtendedIdentifiers: bus.hasExtendedIdentifiers) ?? true
    }

    /// Returns the parameters that have a role, and whose address is on the bus.
    ///
    /// The adapter may be unable to reach some of them.
    func keys(with role: ParameterRole, on bus: BusProtocol) -> [ParameterKey] {
        self.parameters.filter { $0.value.role == role && self.isOnBus($0.key, bus) }.keys.sorted()
            .map(ParameterKey.custom)
    }

    /// Returns the values of these parameters in an answer, and the number of unusable answers.
    func samples(
        of names: some Sequence<String>,
        _ request: CustomRequest,
        _ outcome: BusOutcome,
        at now: MonotonicTime
    ) -> (samples: [Sample], dropped: Int) {
        guard case .answered(let answers) = outcome else { return ([], 0) }
        var samples: [Sample] = []
        var dropped = 0
        for name in names.sorted() {
            guard let parameter = self.parameters[name], parameter.request == request else { continue }
            for (ecu, answer) in answers.sorted(by: { $0.key < $1.key }) {
                guard case .positive(let messages) = answer else { continue }
                // With more than one message it is unclear which one has the value.
                guard messages.count == 1, let value = parameter.decode(messages[0]) else {
                    dropped += 1
                    continue
                }
                let isAddressed = request.destination != nil
                samples.append(Sample(value: value, ecu: ecu, time: now, isAddressed: isAddressed))
            }
        }
        return (samples, dropped)
    }

    /// Returns the values of a parameter in an answer.
    func values(of name: String, _ request: CustomRequest, _ outcome: BusOutcome) -> ParameterAnswer {
        let (samples, dropped) = self.samples(of: [name], request, outcome, at: .zero)
        let isUnusable = if case .unusable = outcome { true } else { false }
        return ParameterAnswer(
            values: Dictionary(samples.map { ($0.ecu, $0.value) }) { first, _ in first },
            isDamaged: dropped > 0 || isUnusable
        )
    }

    /// Returns the events for the selected parameters, and those that show the use of the vehicle, after a custom
    /// request, and whether an ECU answered it.
    mutating func polled(
        _ request: CustomRequest,
        _ selected: Set<ParameterKey>,
        _ outcome: BusOutcome,
        at now: MonotonicTime
    ) -> (events: [SessionEvent], isAnswered: Bool) {
        var events: [SessionEvent] = []
        if let destination = request.destination {
            self.turned(to: destination)
            if case .refused(let line) = outcome {
                self.refusals.insert(destination)
                let names = self.parameters.filter { $0.value.request?.destination == destination }.keys.sorted()
                events.append(.refused(line: line, parameters: names))
            }
        }
        let names = Set(selected.compactMap { if case .custom(let name) = $0 { name } else { nil } })
            .union(self.parameters.filter { $0.value.request == request && $0.value.showsUse }.keys)
        let (samples, dropped) = self.samples(of: names, request, outcome, at: now)
        if !samples.isEmpty { events.append(.samples(samples)) }
        if dropped > 0 { events.append(.dropped(dropped)) }
        return (events, !samples.isEmpty || dropped > 0)
    }

    // MARK: - The adapter's settings

    /// Notes that the adapter was set to address one ECU.
    mutating func turned(to destination: Destination) {
        guard self.provesSettings else { return }
        self.unproven = destination
        self.proofs = 0
    }

    /// Notes that the adapter was lost, perhaps because of a request to this destination.
    mutating func lost(_ destination: Destination?) {
        self.unproven = destination ?? self.unproven
    }

    enum ProofAction: Hashable, Sendable {
        /// The adapter addresses all ECUs, or the question was a request to one.
        case proceed
        /// A settings proof has to be sent.
        case ask
        /// The settings proofs have failed: not every ECU answers any more.
        case lost
    }

    /// Judges by the outcome of a question whether the adapter addresses all ECUs again.
    ///
    /// Every question except a custom request to one ECU is addressed to all.
    mutating func questionEnded(
        _ question: SessionAgenda.Question,
        _ outcome: BusOutcome,
        of ecus: [ECUAddress: ECUIdentity]
    ) -> ProofAction {
        guard question.destination == nil, self.unproven != nil else { return .proceed }
        let expected: Set<ECUAddress>
        switch question {
        case .poll(.pid(let pid)): expected = Set(ecus.filter { $0.value.supported.contains(pid) }.keys)
        case .pids(let pids):
            expected = Set(ecus.filter { pids.contains(where: $0.value.supported.contains) }.keys)
        case .errand(.settingsProof):
            // An ECU with PID 01 never stays silent (SAE J1979). If no ECU has it, all ECUs must answer.
            let certain = ecus.filter { $0.value.supported.contains(0x01) }
            expected = Set((certain.isEmpty ? ecus : certain).keys)
        default: expected = []
        }
        if case .answered(let answers) = outcome, !expected.isEmpty, expected.isSubset(of: answers.keys) {
            self.unproven = nil
            return .proceed
        }
        if question == .errand(.settingsProof) { self.proofs += 1 }
        return self.proofs < Self.proofLimit ? .ask : .lost
    }
}

extension BusRequest {
    /// Creates the bus request for a custom request.
    init(_ request: CustomRequest) {
        self.init(
            payload: request.payload,
            echo: request.echo,
            addressing: request.destination.map(Addressing.init)
        )
    }
}

extension Addressing {
    init(_ destination: Destination) {
        let header: Header
        switch destination.header {
        case .can11(let identifier): header = .can11(identifier)
        case .can29(let identifier): header = .can29(identifier)
        case .legacy(let format, let target, let source): header = .legacy(format, target, source)
        }
        let responder: ECUAddress?
        switch (destination.responder, destination.header) {
        case (.can11(let identifier), _), (nil, .can11(let identifier)): responder = .can11(identifier)
        case (nil, .can29): responder = nil
        case (.can29(let identifier), _):
            let isUsual = identifier & 0xFFFF_FF00 == 0x18DA_F100
            responder = isUsual ? .can29(UInt8(identifier & 0xFF)) : .can29Identifier(identifier)
        case (.legacy(_, _, let source), _): responder = .legacy(source)
        case (nil, .legacy(_, let target, _)): responder = .legacy(target)
        }
        self.init(
            header: header,
            responder: responder,
            addressExtension: destination.extendedAddress.map {
                Extension(request: $0, reply: destination.testerAddress)
            },
            setsFlowControl: destination.setsFlowControl,
            // Rounded up to the adapter's steps of 4.096 ms.
            wait: destination.timeout.map { UInt8(max(1, min(255, ($0.milliseconds * 1000 + 4095) / 4096))) }
        )
    }
}

extension CustomParameter {
    /// Whether the value shows whether the vehicle is in use.
    var showsUse: Bool {
        switch self.role {
        case .engineSpeed, .vehicleSpeed, .ready, .charging: true
        default: false
        }
    }
}
