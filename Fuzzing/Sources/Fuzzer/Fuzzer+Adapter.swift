// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327

/// What an adapter says.
extension Fuzzer {
    private static let requests = [
        BusRequest(payload: [0x01, 0x0C], echo: [0x0C], lengths: 4...4),
        BusRequest(payload: [0x01, 0x00], echo: [0x00], lengths: 6...6),
        BusRequest(payload: [0x03], echo: []),
        BusRequest(payload: [0x09, 0x02], echo: [0x02], isSlow: true),
        BusRequest(payload: [0x04], echo: [], isSlow: true, isRepeatable: false),
    ]
    /// On J1939 parameter groups are asked, and nothing else.
    private static let groups = [
        BusRequest(group: 0xF004, listening: .seconds(1)), BusRequest(group: 0xFECA, isSlow: true),
        BusRequest(group: 0xFEEC),
    ]

    /// The first bytes choose the bus and the request; the rest comes over the link, where FE ends a piece, and FD lets
    /// the time run out.
    static func dialogue(_ input: [UInt8]) {
        guard input.count > 2 else { return }
        let bus = BusProtocol.allCases[Int(input[1]) % BusProtocol.allCases.count]
        let requests = bus == .j1939 ? Self.groups : Self.requests
        let request = requests[Int(input[0]) % requests.count]
        var dialogue = Dialogue()
        var exchange = Exchange(request, on: bus)
        var step = exchange.begin()
        var pieces = input[2...].split(separator: 0xFE, omittingEmptySubsequences: false)[...]
        var sent = 0
        for _ in 0..<1000 {
            var outcome: CommandOutcome?
            switch step {
            case .send(let command):
                sent += command.line == request.line ? 1 : 0
                guard case .send = dialogue.submit(command) else { preconditionFailure("refused: \(command)") }
                outcome = Self.outcome(&dialogue, &pieces)
            case .resynchronize:
                guard case .wait = dialogue.resynchronize() else { preconditionFailure("refused to resynchronize") }
                outcome = Self.outcome(&dialogue, &pieces)
            case .pause: outcome = nil
            case .finished(let result): return Self.check(result, request, on: bus, sent: sent)
            }
            if outcome == nil, case .pause = step {} else if outcome == nil { return }
            step = exchange.stepEnded(outcome)
        }
        preconditionFailure("an exchange without an end")
    }

    /// How the command ends; nil where the dialogue is closed.
    private static func outcome(_ dialogue: inout Dialogue, _ pieces: inout ArraySlice<ArraySlice<UInt8>>)
        -> CommandOutcome?
    {
        for _ in 0..<10_000 {
            if let piece = pieces.popFirst(), piece.first != 0xFD {
                switch dialogue.bytesReceived(piece) {
                case .wait, .extend: continue
                case .deliver(let outcome): return outcome
                case .close: return nil
                }
            }
            switch dialogue.deadlinePassed() {
            case .none: return nil
            case .send, .wait: continue
            case .deliver(let outcome): return outcome
            }
        }
        preconditionFailure("a command without an end")
    }

    private static func check(_ result: BusResult, _ request: BusRequest, on bus: BusProtocol, sent: Int) {
        precondition(request.isRepeatable ? sent <= 3 : sent <= 1, "asked \(sent) times")
        guard case .answered(let answers) = result.outcome else { return }
        let head = bus == .j1939 ? request.payload : [request.service | 0x40] + request.echo
        for case .positive(let messages) in answers.values {
            for message in messages {
                precondition(message.starts(with: head), "\(message)")
                precondition(request.lengths?.contains(message.count) ?? true, "\(message)")
            }
        }
    }

    /// Lines of a reply, read on the bus that the first byte chooses.
    static func frames(_ input: [UInt8]) {
        guard let first = input.first else { return }
        let bus = BusProtocol.allCases[Int(first) % BusProtocol.allCases.count]
        let lines = input.dropFirst().split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        for request in bus == .j1939 ? Self.groups : Self.requests where !request.isSlow {
            var exchange = Exchange(request, on: bus)
            _ = exchange.begin()
            guard case .finished(let result) = exchange.stepEnded(.reply(lines)) else { continue }
            Self.check(result, request, on: bus, sent: 1)
        }
    }

    /// Replies to whatever start-up asks, with empty lines between; FD stands for silence.
    static func startUp(_ input: [UInt8]) {
        var startUp = StartUp(bus: nil)
        var step = startUp.begin()
        var replies = input.split(separator: 0x00, omittingEmptySubsequences: false)[...]
        for _ in 0..<2000 {
            guard case .send = step else { return }
            let reply = replies.popFirst() ?? []
            let lines = reply.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
            let outcome: CommandOutcome = reply.first == 0xFD ? .silence(prompted: reply.count > 1) : .reply(lines)
            step = startUp.commandEnded(outcome, after: .milliseconds(reply.count))
        }
        preconditionFailure("a start without an end")
    }
}

extension BusRequest {
    /// What is sent for it.
    fileprivate var line: String {
        self.payload.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
