// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import ELM327

/// The dialogue with the ECUs on a CAN bus: one request at a time, and the replies of several ECUs to it.
///
/// This is a state machine: the driver reports what arrives, and performs what ``next(at:)`` returns. It has no clock and
/// no socket. Messages that arrive without a request settle earlier ones.
///
/// A reply counts only if it repeats the service and the first data of the request, comes from an ECU that may answer,
/// and cannot be the late reply to an earlier request (``PastRequests``) or the copy of the message before it.
package struct CANDialogue: Sendable {
    package enum Action: Hashable, Sendable {
        /// Take in all that has arrived, then send these bytes, and report ``requestSent(at:)`` or
        /// ``requestNotSent(at:)``.
        case send([UInt8], CANRoute)
        /// Wait for an input until then.
        case wait(until: MonotonicTime)
        case finished(BusResult)
    }

    /// A message, to recognize its copy.
    struct Received: Hashable, Sendable {
        let message: [UInt8]
        let time: MonotonicTime
        /// The request that was open at that time.
        let payload: [UInt8]?
    }

    /// A request that ended before the whole wait, because every known ECU had answered.
    struct Shortened: Hashable, Sendable {
        let request: BusRequest
        let route: CANRoute
        let answered: Set<ECUAddress>
        let end: MonotonicTime
    }

    var exchange: CANExchange?
    var past = PastRequests()
    var responders = KnownResponders()
    /// The messages of the last moments, to recognize copies.
    var recent: [ECUAddress: [Received]] = [:]
    var shortened: [Shortened] = []
    /// The time of the last message or frame of an ECU.
    package private(set) var lastReception: MonotonicTime?

    /// The most requests of ``shortened``.
    static let shortenedLimit = 32
    /// The most ECUs, and the most messages of each, that are kept to recognize copies.
    private static let ecuLimit = 64
    private static let messageLimit = 32

    package init() {}

    // MARK: - A request

    /// Whether the next action is to send the request.
    package var isSending: Bool { self.exchange?.phase == .sending }

    /// The identifiers of the open request.
    package var route: CANRoute? { self.exchange?.route }

    /// Begins a request; ``next(at:)`` has to follow until it is finished.
    package mutating func begin(_ request: BusRequest, on bus: BusProtocol, at now: MonotonicTime) {
        self.past.expire(at: now)
        self.shortened.removeAll { $0.end <= now }
        guard let route = CANRoute(request.addressing, on: bus) else {
            self.exchange = CANExchange(unreachable: request)
            return
        }
        var exchange = CANExchange(request, route)
        if route.responder == nil { exchange.expected = self.responders.ecus(for: request) }
        if !request.isRepeatable { exchange.phase = .clearing(until: self.quietTime(for: request, at: now)) }
        self.exchange = exchange
    }

    /// Returns the time after which no other message can be taken for the answer of a request that is sent once.
    private func quietTime(for request: BusRequest, at now: MonotonicTime) -> MonotonicTime {
        let copies = self.recent.values.compactMap { $0.last.map { $0.time + CANTiming.double } }
        return max(now, copies.max() ?? now, self.past.quietTime(for: request.service) ?? now)
    }

    /// Returns the next action for the open request.
    package mutating func next(at now: MonotonicTime) -> Action {
        guard var exchange = self.exchange else { return .finished(BusResult(outcome: .noData, dropped: 0)) }
        defer { if self.exchange != nil { self.exchange = exchange } }
        switch exchange.next(at: now) {
        case .send(let bytes, let route): return .send(bytes, route)
        case .wait(let time): return .wait(until: time)
        case .finished(let result):
            self.close(exchange, at: now)
            return .finished(result)
        }
    }

    /// Notes that the request was handed to the kernel.
    package mutating func requestSent(at now: MonotonicTime) { self.exchange?.sent(at: now) }

    /// Notes that the kernel has no room for the request.
    package mutating func requestNotSent(at now: MonotonicTime) { self.exchange?.queueFull(at: now) }

    /// Notes that no node has acknowledged the request.
    package mutating func requestLost() { self.exchange?.end(.busUnavailable(.busError)) }

    /// Cancels the request, because its deadline passed before it was sent.
    package mutating func withdraw() { self.exchange?.end(.withdrawn) }

    /// Ends the open request without a result: the interface is lost.
    package mutating func interrupt(at now: MonotonicTime) {
        if let exchange = self.exchange { self.close(exchange, at: now) }
    }

    private mutating func close(_ exchange: CANExchange, at now: MonotonicTime) {
        self.exchange = nil
        guard let route = exchange.route, exchange.sendCount > 0 else { return }
        let request = exchange.request
        let isWhole = !exchange.hasEndedEarly
        if route.responder == nil {
            let answered = Set(exchange.replies.keys)
            if isWhole {
                self.responders.waited(for: request, answered: answered)
            } else {
                // A later reply of an ECU that is not known to answer must find this request.
                if self.shortened.count >= Self.shortenedLimit { self.shortened.removeFirst() }
                let end = now + CANTiming.late
                self.shortened.append(Shortened(request: request, route: route, answered: answered, end: end))
            }
        }
        // Each request that was sent may still be answered. Nothing is missing of one that was sent once and answered.
        guard isWhole || exchange.sendCount > 1 || exchange.hasPromise || exchange.hasCopy else { return }
        let end = now + (exchange.hasPromise ? CANTiming.pending : CANTiming.late)
        for number in 1...exchange.sendCount {
            self.past.append(request, route, answered: exchange.answered(number), until: end)
        }
    }

    // MARK: - Inputs

    /// Takes a frame of a reply: the kernel tells of a long message only once it is whole.
    ///
    /// - Parameter bytes: the data of the frame, without an address byte.
    package mutating func frameReceived(_ bytes: [UInt8], from ecu: ECUAddress, at now: MonotonicTime) {
        self.lastReception = now
        self.exchange?.frameReceived(bytes, from: ecu, at: now)
    }

    /// Takes a message that was lost in part.
    package mutating func messageDamaged(from ecu: ECUAddress, at now: MonotonicTime) {
        self.lastReception = now
        self.exchange?.messageDamaged(from: ecu)
    }

    /// Takes a whole message.
    package mutating func messageReceived(_ message: [UInt8], from ecu: ECUAddress, at now: MonotonicTime) {
        self.lastReception = now
        let novelty = self.novelty(of: message, from: ecu, at: now)
        self.learnUnexpected(message, from: ecu)
        let settles = novelty == .new && self.exchange?.mayBeAnswered(by: message, from: ecu) != true
        if let end = self.past.take(message, from: ecu, settles: settles, at: now) {
            self.exchange?.lateReplyReceived(message, from: ecu, until: end)
            return
        }
        self.exchange?.messageReceived(message, from: ecu, novelty, at: now)
    }

    /// Compares a message with those of the last moments, to which it belongs from now on.
    private mutating func novelty(
        of message: [UInt8],
        from ecu: ECUAddress,
        at now: MonotonicTime
    ) -> CANExchange.Novelty {
        let payload = self.exchange?.request.payload
        if self.recent[ecu] == nil, self.recent.count >= Self.ecuLimit { self.recent = [:] }
        var recent = self.recent[ecu, default: []]
        recent.removeAll { now - $0.time >= CANTiming.double }
        if recent.count >= Self.messageLimit { recent.removeFirst() }
        var novelty = CANExchange.Novelty.new
        for received in recent where received.message == message {
            if received.payload == payload {
                novelty = .ownCopy
                break
            }
            novelty = .copy
        }
        recent.append(Received(message: message, time: now, payload: payload))
        self.recent[ecu] = recent
        return novelty
    }

    /// Has the whole wait made again for the broadcasts that an unknown ECU answers after their end.
    private mutating func learnUnexpected(_ message: [UInt8], from ecu: ECUAddress) {
        if let exchange = self.exchange, let expected = exchange.expected, !expected.contains(ecu),
            exchange.request.match(message) != .none, exchange.route?.accepts(ecu) == true
        {
            self.responders.forget(exchange.request)
        }
        let found = self.shortened.filter {
            !$0.answered.contains(ecu) && $0.route.accepts(ecu) && $0.request.match(message) != .none
        }
        for entry in found {
            self.responders.forget(entry.request)
            self.past.append(entry.request, entry.route, answered: entry.answered, until: entry.end)
        }
        if !found.isEmpty { self.shortened.removeAll { found.contains($0) } }
    }
}
