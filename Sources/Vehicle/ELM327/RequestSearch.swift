// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Sends requests to single ECUs on one bus, each once, and collects the ECUs that answer.
///
/// A negative answer counts too: the ECU is there.
struct RequestSearch: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case send(AdapterCommand)
        /// All requests are sent, and the adapter addresses all ECUs again. The messages of the ECUs that answered.
        case finished([ECUAddress: [[UInt8]]])
        /// The adapter's settings are unknown.
        case lost
    }

    private let bus: BusProtocol
    /// The requests still to send, the present one first.
    private var requests: ArraySlice<BusRequest>
    private var addressSwitch = AddressSwitch()
    private var isAsking = false
    private var ecus: [ECUAddress: [[UInt8]]] = [:]

    init(_ requests: [BusRequest], on bus: BusProtocol) {
        self.requests = requests[...]
        self.bus = bus
    }

    /// Returns the first step for the present request.
    mutating func begin() -> Step {
        self.isAsking = false
        return self.turned(self.addressSwitch.turn(to: self.requests.first?.addressing, on: self.bus))
    }

    /// Takes the outcome of the command, except that of a silent adapter, and returns the next step.
    mutating func commandEnded(_ outcome: CommandOutcome) -> Step {
        guard self.isAsking else { return self.turned(self.addressSwitch.commandEnded(outcome)) }
        guard outcome.acceptance != .restarted else { return .lost }
        if let request = self.requests.first, case .reply(let lines) = outcome {
            for (ecu, reply) in ReplyInterpreter(lines, to: request, on: self.bus).replies where self.ecus[ecu] == nil {
                switch reply {
                case .positive(let messages): self.ecus[ecu] = messages
                case .negative(let code): self.ecus[ecu] = [[0x7F, request.service, code]]
                }
            }
        }
        return self.next()
    }

    private mutating func turned(_ step: AddressSwitch.Step) -> Step {
        switch step {
        case .send(let command): return .send(command)
        case .ready:
            guard let request = self.requests.first else { return .finished(self.ecus) }
            self.isAsking = true
            let line = hexadecimal(request.payload)
            return .send(AdapterCommand(line, timeout: Exchange.timeout, service: request.service))
        // The adapter cannot address this ECU. Its settings are undone.
        case .refused, .failed: return self.requests.isEmpty ? .lost : self.next()
        case .lost, .restarted, .silent: return .lost
        }
    }

    private mutating func next() -> Step {
        self.requests.removeFirst()
        return self.begin()
    }
}
