// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A diagnostic request through the adapter, from the command to the interpreted answer, with retries.
///
/// This is a state machine: the driver performs each step, and reports how it ended.
package struct Exchange: Sendable {
    package enum Step: Hashable, Sendable {
        /// Send this command.
        case send(AdapterCommand)
        /// Resynchronize the dialogue (``Dialogue/resynchronize()``).
        case resynchronize
        /// Wait for this long.
        case pause(Duration)
        /// The request is over.
        case finished(BusResult)
    }

    private enum State: Hashable, Sendable {
        case clearing
        case raisingTimeout
        case listening
        case asking
        case betweenAttempts
        /// Resynchronizing after the last attempt, so that a late reply is not taken for the next request's answer.
        case givingUp(BusOutcome)
        case restoringTimeout(BusOutcome)
    }

    /// The timeout for a request on a known bus: several times the adapter's own wait (0.2 s, or 1 s when slow).
    static let timeout = Duration.seconds(2)
    static let slowTimeout = Duration.seconds(7)
    /// The time for which answers to a request for a parameter group are collected.
    ///
    /// ECUs have 200 ms to answer, and 200 ms between two frames of a long message (SAE J1939-21, 5.12.3).
    static let groupTimeout = Duration.milliseconds(600)
    static let longGroupTimeout = Duration.seconds(3)
    /// The maximum number of retries of a request.
    static let retries = 2
    /// The pause before the retry to a busy ECU (negative response code 21).
    static let busyPause = Duration.milliseconds(200)

    private let request: BusRequest
    private let bus: BusProtocol
    private var state = State.asking
    private var attempt = 0
    private var dropped = 0
    /// Whether the last request carried the number of frames of its answer.
    private var hasFrameCount = false

    package init(_ request: BusRequest, on bus: BusProtocol) {
        self.request = request
        self.bus = bus
    }

    /// Returns the first step.
    package mutating func begin() -> Step {
        guard self.request.isRepeatable else {
            // The request is sent once. A late reply to an earlier request would be taken for its answer.
            self.state = .clearing
            return .resynchronize
        }
        return self.start()
    }

    private mutating func start() -> Step {
        if let duration = self.request.listening {
            self.state = .listening
            return .send(.listening(to: self.request, for: duration))
        }
        return self.prepare()
    }

    private mutating func prepare() -> Step {
        guard self.request.isSlow else { return self.ask() }
        self.state = .raisingTimeout
        return .send(AdapterCommand("ATSTFF"))
    }

    /// Whether the present step sends the request itself.
    package var isSendingRequest: Bool { self.state == .asking }

    /// Cancels the request, because its deadline passed before it was sent.
    package mutating func withdraw() -> Step { self.finish(.withdrawn) }

    /// Takes the end of the last step, and returns the next.
    ///
    /// - Parameter outcome: the outcome of a command or of resynchronizing; nil after a pause.
    package mutating func stepEnded(_ outcome: CommandOutcome? = nil) -> Step {
        switch self.state {
        case .clearing where Self.isSilence(outcome), .betweenAttempts where Self.isSilence(outcome),
            .givingUp where Self.isSilence(outcome):
            return self.finish(.adapterSilent)
        case .clearing: return self.start()
        case .givingUp(let outcome): return self.finish(outcome)
        case .raisingTimeout:
            switch outcome?.acceptance {
            case .silent: return self.finish(.adapterSilent)
            case .restarted: return self.finish(.adapterRestarted)
            default: return self.ask()
            }
        case .listening: return self.listened(outcome)
        case .betweenAttempts: return self.ask()
        case .asking:
            guard let outcome else { return self.ask() }
            return self.received(outcome)
        case .restoringTimeout(let outcome): return .finished(self.result(outcome))
        }
    }

    private static func isSilence(_ outcome: CommandOutcome?) -> Bool {
        if case .silence = outcome { true } else { false }
    }

    /// Takes the result of listening.
    ///
    /// Without a broadcast, the request is sent.
    private mutating func listened(_ outcome: CommandOutcome?) -> Step {
        switch outcome {
        case .silence(prompted: false): return self.finish(.adapterSilent)
        case .reply(let lines):
            let reply = ReplyInterpreter(lines, to: self.request, on: self.bus)
            if reply.notices.contains(.restarted) { return self.finish(.adapterRestarted) }
            // A long message that began before listening, or did not end in time, is requested.
            guard !reply.replies.isEmpty, reply.dropped == 0, !reply.notices.contains(.stopped) else {
                return self.prepare()
            }
            return self.finish(.answered(reply.replies))
        default: return self.prepare()
        }
    }

    private mutating func ask() -> Step {
        self.state = .asking
        // Retries are sent without the frame count.
        let count = self.attempt == 0 && self.bus != .j1939 ? self.request.frameCount : nil
        self.hasFrameCount = count != nil
        let line = hexadecimal(self.request.payload) + (count.map { String($0, radix: 16, uppercase: true) } ?? "")
        let timeout = self.request.isSlow ? Self.slowTimeout : Self.timeout
        guard self.bus == .j1939 else {
            return .send(AdapterCommand(line, timeout: timeout, service: self.request.service))
        }
        // A group that is also broadcast never ends by itself.
        let duration = self.request.isSlow ? Self.longGroupTimeout : Self.groupTimeout
        return .send(AdapterCommand(line, timeout: duration, collectsUntilTimeout: true))
    }

    private mutating func received(_ outcome: CommandOutcome) -> Step {
        guard case .reply(let lines) = outcome else {
            self.dropped += 1
            return outcome.acceptance == .silent ? self.finish(.adapterSilent) : self.askAgain(or: .unusable(nil))
        }
        let reply = ReplyInterpreter(lines, to: self.request, on: self.bus)
        self.dropped += reply.dropped
        if reply.notices.contains(.restarted) { return self.finish(.adapterRestarted) }
        // The adapter was busy when the command arrived: this reply belongs to the command before.
        if reply.notices.contains(.stopped) { return self.askAgain(or: .unusable(.stopped)) }
        if !reply.replies.isEmpty {
            let busy = reply.replies.values.contains { $0 == .negative(0x21) || $0 == .negative(0x78) }
            if busy && self.request.isRepeatable && self.attempt < Self.retries {
                self.attempt += 1
                self.state = .betweenAttempts
                return .pause(Self.busyPause)
            }
            if (self.bus == .j1939 || self.hasFrameCount) && reply.dropped > 0 {
                return self.askAgain(or: .answered(reply.replies))
            }
            return self.finish(.answered(reply.replies))
        }
        for notice in reply.notices {
            switch notice {
            case .noData: return reply.dropped == 0 ? self.finish(.noData) : self.askAgain(or: .noData)
            case .unableToConnect, .busInitError, .busError: return self.finish(.busUnavailable(notice))
            // Some adapters answer "?" to a command that they understood before (quirk 15).
            case .notUnderstood where self.attempt == 0: return self.askAgain(or: .unusable(notice))
            case .notUnderstood: return self.giveUp(.unusable(notice))
            case .stopped, .busBusy, .damaged, .bufferFull: return self.askAgain(or: .unusable(notice))
            case .lowPower, .restarted: continue
            }
        }
        // The collection was stopped, and no frame had arrived.
        if self.bus == .j1939 && reply.dropped == 0 { return self.finish(.noData) }
        return self.askAgain(or: .unusable(nil))
    }

    /// Repeats the request after a reply that was not its answer.
    ///
    /// More bytes may arrive late, so the dialogue is resynchronized first.
    private mutating func askAgain(or outcome: BusOutcome) -> Step {
        guard self.request.isRepeatable, self.attempt < Self.retries else { return self.giveUp(outcome) }
        self.attempt += 1
        self.state = .betweenAttempts
        return .resynchronize
    }

    private mutating func giveUp(_ outcome: BusOutcome) -> Step {
        self.state = .givingUp(outcome)
        return .resynchronize
    }

    private mutating func finish(_ outcome: BusOutcome) -> Step {
        let isAlive = outcome != .adapterSilent && outcome != .adapterRestarted
        guard self.request.isSlow && isAlive && self.state != .listening else {
            return .finished(self.result(outcome))
        }
        self.state = .restoringTimeout(outcome)
        return .send(AdapterCommand("ATST32"))
    }

    private func result(_ outcome: BusOutcome) -> BusResult {
        let isMiscounted = self.request.frameCount != nil && !self.hasFrameCount
        return BusResult(outcome: outcome, dropped: self.dropped, isMiscounted: isMiscounted)
    }
}
