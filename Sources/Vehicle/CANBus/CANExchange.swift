// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327

/// One request on CAN, from its sending to its answer, with retries.
struct CANExchange: Sendable {
    enum Step: Hashable, Sendable {
        case send([UInt8], CANRoute)
        case wait(until: MonotonicTime)
        case finished(BusResult)
    }

    enum Phase: Hashable, Sendable {
        /// Waiting until no message to an earlier request can arrive.
        case clearing(until: MonotonicTime)
        case sending
        case waiting
        /// Pausing before the request is sent again.
        case pausing(until: MonotonicTime)
        case ended(BusOutcome)
    }

    /// The relation of a message to the one before it from the same ECU.
    enum Novelty: Hashable, Sendable {
        case new
        /// Equal to the answer of an earlier request, a moment ago.
        case copy
        /// Equal to a message that arrived for this payload too, a moment ago.
        case ownCopy
    }

    let request: BusRequest
    /// The identifiers; nil if the bus has no such address.
    let route: CANRoute?
    /// The ECUs that usually answer a broadcast; nil waits for any.
    var expected: Set<ECUAddress>?
    var phase = Phase.sending
    private var sentAt: MonotonicTime?
    /// The number of times that the request was sent.
    private(set) var sendCount = 0
    private(set) var replies: [ECUAddress: ECUReply] = [:]
    private(set) var hasEndedEarly = false
    /// Whether an ECU has sent "response pending", so that an answer may come seconds later.
    private(set) var hasPromise = false
    /// Whether an answer may be the copy of one to the same request a moment before, so that its own may follow.
    private(set) var hasCopy = false

    private var attempt = 0
    private var dropped = 0
    private var queueFullSince: MonotonicTime?
    private var lastReply: MonotonicTime?
    /// The ends of the waits for ECUs that have sent "response pending".
    private var pending: [ECUAddress: MonotonicTime] = [:]
    /// The ends of the waits for the next frames of long messages.
    private var receiving: [ECUAddress: MonotonicTime] = [:]
    /// The ECUs whose replies were lost, or may belong to an earlier request.
    private var doubtful: Set<ECUAddress> = []
    /// The number of replies of each ECU.
    ///
    /// A damaged one may be the late reply to an earlier request, and does not count.
    private var received: [ECUAddress: Int] = [:]
    /// The time until which a late reply to an earlier request may be taken for one to this.
    private var quietTime: MonotonicTime?

    init(_ request: BusRequest, _ route: CANRoute) {
        self.request = request
        self.route = route
    }

    /// Creates the exchange of a request whose address is on another kind of bus.
    init(unreachable request: BusRequest) {
        self.request = request
        self.route = nil
        self.phase = .ended(.refused("the address is not one of this bus"))
    }

    /// Returns the ECUs that have answered at least as many times as `number`.
    func answered(_ number: Int) -> Set<ECUAddress> { Set(self.received.filter { $0.value >= number }.keys) }

    // MARK: - Steps

    mutating func next(at now: MonotonicTime) -> Step {
        while true {
            switch self.phase {
            case .clearing(let end), .pausing(let end):
                guard now >= end else { return .wait(until: end) }
                self.phase = .sending
            case .sending:
                guard let route = self.route else { return self.finished(.noData) }
                return .send(self.request.payload, route)
            case .waiting:
                if self.isComplete {
                    self.hasEndedEarly = true
                } else if let deadline = self.deadline, now < deadline {
                    return .wait(until: deadline)
                }
                self.conclude(at: now)
            case .ended(let outcome): return self.finished(outcome)
            }
        }
    }

    private func finished(_ outcome: BusOutcome) -> Step {
        .finished(BusResult(outcome: outcome, dropped: self.dropped))
    }

    mutating func end(_ outcome: BusOutcome) { self.phase = .ended(outcome) }

    mutating func sent(at now: MonotonicTime) {
        self.sentAt = now
        self.sendCount += 1
        self.queueFullSince = nil
        self.phase = .waiting
    }

    mutating func queueFull(at now: MonotonicTime) {
        let since = self.queueFullSince ?? now
        self.queueFullSince = since
        let isOver = now - since >= CANTiming.queueLimit
        self.phase = isOver ? .ended(.busUnavailable(.busBusy)) : .pausing(until: now + CANTiming.queuePause)
    }

    // MARK: - The wait

    /// Whether every ECU has answered that is asked, or that usually answers.
    private var isComplete: Bool {
        guard self.pending.isEmpty, self.receiving.isEmpty else { return false }
        if let responder = self.route?.responder { return self.replies[responder.ecu] != nil }
        return self.expected.map { ecus in ecus.allSatisfy { self.replies[$0] != nil } } ?? false
    }

    private var deadline: MonotonicTime? {
        guard let sentAt = self.sentAt else { return nil }
        var wait = max(self.request.isSlow ? CANTiming.slowResponse : CANTiming.response, self.route?.wait ?? .zero)
        if self.request.isSlow, let lastReply = self.lastReply {
            // The other ECUs are asked at the same time, so they answer soon after the first.
            wait = min(wait, max(lastReply - sentAt, .zero) + CANTiming.response)
        }
        let ends = Array(self.pending.values) + Array(self.receiving.values)
        return min(max(sentAt + wait, ends.max() ?? sentAt), sentAt + CANTiming.pendingLimit)
    }

    /// Ends the wait with an answer, or has the request sent again.
    private mutating func conclude(at now: MonotonicTime) {
        for ecu in self.pending.keys where self.replies[ecu] == nil { self.replies[ecu] = .negative(0x78) }
        let mayRepeat = self.request.isRepeatable && self.attempt < CANTiming.retries
        if mayRepeat, self.replies.values.contains(.negative(0x21)) {
            return self.repeatRequest(.pausing(until: now + CANTiming.busyPause))
        }
        let lost = self.doubtful.subtracting(self.replies.keys)
        if self.replies.isEmpty {
            // A message that was dropped may have been the answer.
            if self.dropped > 0, mayRepeat { return self.repeatRequest(self.pause(at: now)) }
            return self.end(lost.isEmpty ? .noData : .unusable(nil))
        }
        if !lost.isEmpty, mayRepeat { return self.repeatRequest(self.pause(at: now)) }
        self.end(.answered(self.replies))
    }

    /// Returns the phase before a repetition, which no reply to an earlier request may disturb again.
    private func pause(at now: MonotonicTime) -> Phase {
        guard let quietTime = self.quietTime, let sentAt = self.sentAt else { return .sending }
        return .pausing(until: max(quietTime, sentAt + CANTiming.late))
    }

    private mutating func repeatRequest(_ phase: Phase) {
        self.attempt += 1
        // Every ECU answers again, and an answer from before would be old by the end of the wait.
        self.replies = [:]
        self.hasEndedEarly = false
        self.pending = [:]
        self.receiving = [:]
        self.doubtful = []
        self.quietTime = nil
        self.lastReply = nil
        self.phase = phase
    }

    // MARK: - Inputs

    private func mayAnswer(_ ecu: ECUAddress) -> Bool {
        self.phase == .waiting && self.route?.accepts(ecu) == true
    }

    /// Whether a message may be the missing answer of an ECU.
    func mayBeAnswered(by message: [UInt8], from ecu: ECUAddress) -> Bool {
        self.mayAnswer(ecu) && self.replies[ecu] == nil && self.request.match(message) != .none
    }

    mutating func frameReceived(_ bytes: [UInt8], from ecu: ECUAddress, at now: MonotonicTime) {
        guard self.mayAnswer(ecu), self.replies[ecu] == nil, let control = bytes.first else { return }
        let isBegin = control >> 4 == 1
        guard isBegin || control >> 4 == 2 && self.receiving[ecu] != nil else { return }
        self.receiving[ecu] = now + CANTiming.frameGap
    }

    mutating func messageDamaged(from ecu: ECUAddress) {
        self.dropped += 1
        guard self.mayAnswer(ecu) else { return }
        self.receiving[ecu] = nil
        self.doubtful.insert(ecu)
    }

    /// Notes that a message counts as the late reply to an earlier request, although it may be one to this.
    ///
    /// - Parameter end: the time until which another such reply may arrive.
    mutating func lateReplyReceived(_ message: [UInt8], from ecu: ECUAddress, until end: MonotonicTime) {
        self.dropped += 1
        self.receiving[ecu] = nil
        if self.request.match(message) == .negative(0x78), self.route?.accepts(ecu) == true { self.hasPromise = true }
        guard self.mayBeAnswered(by: message, from: ecu) else { return }
        self.pending[ecu] = nil
        self.doubtful.insert(ecu)
        self.quietTime = max(self.quietTime ?? end, end)
    }

    mutating func messageReceived(
        _ message: [UInt8],
        from ecu: ECUAddress,
        _ novelty: Novelty,
        at now: MonotonicTime
    ) {
        self.receiving[ecu] = nil
        let match = self.request.match(message)
        if match == .negative(0x78), self.route?.accepts(ecu) == true { self.hasPromise = true }
        if match != .none, match != .negative(0x78), novelty == .new, self.route?.accepts(ecu) == true {
            self.received[ecu, default: 0] += 1
        }
        // An unexpected ECU may have answered the same broadcast before.
        guard self.mayAnswer(ecu), match != .none, self.expected?.contains(ecu) ?? true, self.replies[ecu] == nil else {
            self.dropped += 1
            return
        }
        let reply: ECUReply
        switch match {
        case .negative(0x78):
            self.pending[ecu] = now + CANTiming.pending
            return
        case .negative(let code): reply = .negative(code)
        case .positive, .none: reply = .positive([message])
        }
        let isUnsure: Bool
        switch (novelty, match) {
        case (.new, _), (.ownCopy, .positive): isUnsure = false
        // The copy of an answer that came before: the second one after the request is the request's own.
        case (.ownCopy, _): isUnsure = !self.doubtful.contains(ecu)
        case (.copy, _): isUnsure = true
        }
        if isUnsure {
            self.doubtful.insert(ecu)
            self.dropped += 1
            return
        }
        self.pending[ecu] = nil
        self.doubtful.remove(ecu)
        self.lastReply = now
        self.hasCopy = self.hasCopy || novelty != .new
        self.replies[ecu] = reply
    }
}
