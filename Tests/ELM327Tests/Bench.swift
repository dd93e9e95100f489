// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

@testable import ELM327

/// A scripted adapter's answer to one line: pieces of text, each with the delay after the piece before.
struct Answer: ExpressibleByStringLiteral {
    var pieces: [(after: Duration, text: String)]

    init(_ pieces: [(after: Duration, text: String)]) {
        self.pieces = pieces
    }

    init(stringLiteral text: String) {
        self.pieces = [(.milliseconds(20), text)]
    }

    static let silence = Answer([])
    static let ok: Answer = "OK\r\r>"
    /// The adapter's answer to ATI, its name.
    static let name: Answer = "ELM327 v1.5\r\r>"
}

/// A scripted adapter and a driver of the state machines, with virtual time.
struct Bench {
    /// The answers to each line, in order; the last answer repeats.
    ///
    /// The line `" "` is the interrupt.
    private var script: [String: [Answer]]
    /// The answer to every other line.
    private let otherwise: Answer
    private var dialogue = Dialogue()
    private var arriving: [(time: Duration, bytes: [UInt8])] = []
    private(set) var now = Duration.zero
    /// The lines that were sent, without the carriage returns.
    private(set) var sent: [String] = []
    /// The lines that were sent, without those that only resynchronize the dialogue.
    var requests: [String] { self.sent.filter { $0 != AdapterCommand.name.line } }

    init(_ script: [String: [Answer]], otherwise: Answer = .ok) {
        self.script = script
        self.otherwise = otherwise
    }

    /// Schedules text from the adapter, independent of the lines that are sent.
    mutating func schedule(_ text: String, after delay: Duration) {
        self.arriving.append((self.now + delay, Array(text.utf8)))
        self.arriving.sort { $0.time < $1.time }
    }

    /// Performs a command; returns nil if the dialogue rejected it or was closed.
    mutating func perform(_ command: AdapterCommand) -> CommandOutcome? {
        if self.dialogue.isInDoubt {
            guard let outcome = self.resynchronize() else { return nil }
            if case .silence = outcome { return .silence(prompted: false) }
        }
        guard case .send(let bytes, let timeout) = self.dialogue.submit(command) else { return nil }
        self.send(bytes)
        return self.receive(for: timeout)
    }

    private mutating func resynchronize() -> CommandOutcome? {
        guard case .wait(let quiet) = self.dialogue.resynchronize() else { return nil }
        return self.receive(for: quiet)
    }

    /// Runs an exchange to its end.
    mutating func ask(_ request: BusRequest, on bus: BusProtocol = .can11at500) -> BusResult? {
        var exchange = Exchange(request, on: bus)
        var step = exchange.begin()
        for _ in 0..<100 {
            switch step {
            case .send(let command):
                guard let outcome = self.perform(command) else { return nil }
                step = exchange.stepEnded(outcome)
            case .resynchronize:
                guard let outcome = self.resynchronize() else { return nil }
                step = exchange.stepEnded(outcome)
            case .pause(let duration):
                self.now += duration
                step = exchange.stepEnded()
            case .finished(let result):
                return result
            }
        }
        return nil
    }

    /// Runs start-up; returns the last step, or nil if the dialogue was closed or start-up did not end.
    mutating func startUp(bus: BusProtocol? = nil, requests: [BusRequest] = []) -> StartUp.Step? {
        var startUp = StartUp(bus: bus, requests: requests)
        var step = startUp.begin()
        for _ in 0..<100 {
            guard case .send(let command) = step else { return step }
            let start = self.now
            guard let outcome = self.perform(command) else { return nil }
            step = startUp.commandEnded(outcome, after: self.now - start, form: self.dialogue.form)
        }
        return nil
    }

    /// Runs all trials to their end; returns the last step, or nil if the dialogue was closed.
    mutating func run(_ probe: inout CapabilityProbe) -> CapabilityProbe.Step? {
        var step = CapabilityProbe.Step.finished
        while probe.isPending, step == .finished {
            step = probe.begin()
            while case .send(let command) = step {
                let start = self.now
                guard let outcome = self.perform(command) else { return nil }
                step = probe.commandEnded(outcome, after: self.now - start)
            }
        }
        return step
    }

    private mutating func send(_ bytes: [UInt8]) {
        let line = String(decoding: bytes.filter { $0 != 0x0D }, as: UTF8.self)
        self.sent.append(line)
        var answers = self.script[line] ?? [line == " " ? .silence : line == "ATI" ? .name : self.otherwise]
        let answer = answers.count > 1 ? answers.removeFirst() : answers[0]
        self.script[line] = answers
        var delay = Duration.zero
        for piece in answer.pieces {
            delay += piece.after
            self.schedule(piece.text, after: delay)
        }
    }

    private mutating func receive(for timeout: Duration) -> CommandOutcome? {
        let start = self.now
        var deadline = start + timeout
        while true {
            if let next = self.arriving.first, next.time <= max(deadline, self.now) {
                self.arriving.removeFirst()
                self.now = max(self.now, next.time)
                switch self.dialogue.bytesReceived(next.bytes, after: self.now - start) {
                case .wait: continue
                case .extend(let duration): deadline = self.now + duration
                case .deliver(let outcome): return outcome
                case .close: return nil
                }
            } else {
                self.now = max(self.now, deadline)
                switch self.dialogue.deadlinePassed() {
                case .none: return nil
                case .send(let bytes, let timeout):
                    self.send(bytes)
                    deadline = self.now + timeout
                case .wait(let duration): deadline = self.now + duration
                case .deliver(let outcome): return outcome
                }
            }
        }
    }
}

/// Requests that many tests send.
enum SampleRequest {
    static let engineSpeed = BusRequest(payload: [0x01, 0x0C], echo: [0x0C], lengths: 4...4)
    static let supported = BusRequest(payload: [0x01, 0x00], echo: [0x00], lengths: 6...6)
    static let vin = BusRequest(payload: [0x09, 0x02], echo: [0x02], isSlow: true)
    static let clearCodes = BusRequest(payload: [0x04], echo: [], isSlow: true, isRepeatable: false)
}
