// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// One diagnostic request through the adapter: asked, understood, and where that helps asked again.
///
/// A machine of steps: the driver performs each, and reports how the command ended.
package struct Exchange: Sendable {
    package enum Step: Hashable, Sendable {
        /// Send this command.
        case send(Command)
        /// Get the dialogue back in step (``Dialogue/resynchronise()``).
        case resynchronise
        /// Wait so long.
        case pause(Duration)
        /// The request is over.
        case finished(BusResult)
    }

    private enum State: Hashable, Sendable {
        case clearing
        case raisingTimeout
        case asking
        case betweenAttempts
        case restoringTimeout(BusOutcome)
    }

    /// How long a request on a known bus may take: the adapter's own wait (0.2 s, 1 s when slow) several times.
    static let timeout = Duration.seconds(2)
    static let slowTimeout = Duration.seconds(7)
    /// How often a request is asked again.
    static let retries = 2
    /// How long an ECU that is busy (negative response code 21) is left alone.
    static let busyPause = Duration.milliseconds(200)

    private let request: BusRequest
    private let bus: BusProtocol
    private var state = State.asking
    private var attempt = 0
    private var dropped = 0

    package init(_ request: BusRequest, on bus: BusProtocol) {
        self.request = request
        self.bus = bus
    }

    /// The first step.
    package mutating func begin() -> Step {
        guard self.request.isRepeatable else {
            // There is one try, and the late reply to an earlier request would be taken for its answer.
            self.state = .clearing
            return .resynchronise
        }
        return self.start()
    }

    private mutating func start() -> Step {
        guard self.request.isSlow else { return self.ask() }
        self.state = .raisingTimeout
        return .send(Command("ATSTFF", timeout: AdapterCommand.timeout))
    }

    /// The step was performed; a command ended with `outcome`, the other steps with nothing.
    package mutating func performed(_ outcome: CommandOutcome? = nil) -> Step {
        switch self.state {
        case .clearing:
            return self.start()
        case .raisingTimeout:
            switch outcome {
            case .silence(prompted: false): return self.finish(.adapterSilent)
            case .reply(let lines) where lines.contains { ReplyLine($0) == .notice(.restarted) }:
                return self.finish(.adapterRestarted)
            default: return self.ask()
            }
        case .betweenAttempts:
            return self.ask()
        case .asking:
            guard let outcome else { return self.ask() }
            return self.received(outcome)
        case .restoringTimeout(let outcome):
            return .finished(BusResult(outcome: outcome, dropped: self.dropped))
        }
    }

    private mutating func ask() -> Step {
        self.state = .asking
        let line = self.request.payload.map(hexadecimal).joined()
        let timeout = self.request.isSlow ? Self.slowTimeout : Self.timeout
        return .send(Command(line, timeout: timeout, service: self.request.service))
    }

    private mutating func received(_ outcome: CommandOutcome) -> Step {
        switch outcome {
        case .silence(let prompted):
            self.dropped += 1
            return prompted ? self.askAgain(or: .unusable(nil)) : self.finish(.adapterSilent)
        case .overflow:
            self.dropped += 1
            return self.askAgain(or: .unusable(nil))
        case .reply(let lines):
            let reply = ReplyInterpreter(lines, to: self.request, on: self.bus)
            self.dropped += reply.dropped
            return self.conclude(reply)
        }
    }

    private mutating func conclude(_ reply: ReplyInterpreter) -> Step {
        if reply.notices.contains(.restarted) { return self.finish(.adapterRestarted) }
        if !reply.replies.isEmpty {
            let busy = reply.replies.values.contains { $0 == .negative(0x21) || $0 == .negative(0x78) }
            if busy && self.request.isRepeatable && self.attempt < Self.retries {
                self.attempt += 1
                self.state = .betweenAttempts
                return .pause(Self.busyPause)
            }
            return self.finish(.answered(reply.replies))
        }
        for notice in reply.notices {
            switch notice {
            case .noData: return reply.dropped == 0 ? self.finish(.noData) : self.askAgain(or: .noData)
            case .unableToConnect, .busInitError, .busError: return self.finish(.busUnavailable(notice))
            case .notUnderstood: return self.finish(.unusable(notice))
            case .stopped, .busBusy, .damaged, .bufferFull: return self.askAgain(or: .unusable(notice))
            case .lowPower, .restarted: continue
            }
        }
        return self.askAgain(or: .unusable(nil))
    }

    /// What came was not the answer.
    ///
    /// More may be on its way, so the dialogue is brought back in step first.
    private mutating func askAgain(or outcome: BusOutcome) -> Step {
        guard self.request.isRepeatable, self.attempt < Self.retries else { return self.finish(outcome) }
        self.attempt += 1
        self.state = .betweenAttempts
        return .resynchronise
    }

    private mutating func finish(_ outcome: BusOutcome) -> Step {
        let isAlive = outcome != .adapterSilent && outcome != .adapterRestarted
        guard self.request.isSlow && isAlive else {
            return .finished(BusResult(outcome: outcome, dropped: self.dropped))
        }
        self.state = .restoringTimeout(outcome)
        return .send(Command("ATST32", timeout: AdapterCommand.timeout))
    }
}
