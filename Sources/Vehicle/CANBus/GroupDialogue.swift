// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import ELM327

/// The dialogue with the ECUs on a bus of SAE J1939: one parameter group at a time, from all ECUs that have it.
///
/// This is a state machine as ``CANDialogue`` is. It needs no memory of earlier requests: a message names its group and its
/// sender, so one that comes late is as true as a broadcast. Long messages are put together by ``GroupAssembler`` and not by
/// the kernel (`can-j1939`): the kernel's sessions are found by sender and receiver alone, so a lost frame may let it put frames
/// of two groups into one message.
package struct GroupDialogue: Sendable {
    package enum Action: Hashable, Sendable {
        /// Send a frame with this identifier of 29 bits, and report ``requestSent(at:)`` or ``requestNotSent(at:)``.
        case send([UInt8], identifier: UInt32)
        /// Wait for an input until then.
        case wait(until: MonotonicTime)
        case finished(BusResult)
    }

    private enum Phase: Hashable, Sendable {
        /// Waiting for a broadcast.
        case listening(until: MonotonicTime)
        case sending
        case waiting(until: MonotonicTime)
        /// Pausing before the request is sent again.
        case pausing(until: MonotonicTime)
        case ended(BusOutcome)
    }

    /// The wait for the answers to a request; a long one takes 50 to 200 ms for each frame (SAE J1939-21, 5.12.3).
    package static let wait = (usual: Duration.milliseconds(600), long: Duration.seconds(3))
    /// A request to all ECUs from the address of a diagnostic tool, F9 (SAE J1939-21, 5.4.2; J1939-81).
    package static let requestIdentifier: UInt32 = 0x18EA_FFF9

    private var request: BusRequest?
    private var mayAsk = true
    private var phase = Phase.sending
    private var assembler = GroupAssembler(0)
    private var attempt = 0
    private var dropped = 0
    /// The frames that were dropped before the request was sent, and so were none of an answer to it.
    private var droppedBefore = 0
    private var queueFullSince: MonotonicTime?

    package init() {}

    /// Whether a request is open.
    package var isOpen: Bool { self.request != nil }

    /// Begins a request; ``next(at:)`` has to follow until it is finished.
    ///
    /// - Parameter mayAsk: whether the group is requested if it is not heard within the time that the request listens.
    package mutating func begin(_ request: BusRequest, mayAsk: Bool = true, at now: MonotonicTime) {
        self = GroupDialogue()
        self.request = request
        self.mayAsk = mayAsk
        self.phase = request.listening.map { .listening(until: now + $0) } ?? .sending
        self.assembler = GroupAssembler(request.group)
    }

    /// Returns the next action for the open request.
    package mutating func next(at now: MonotonicTime) -> Action {
        guard let request = self.request else { return .finished(BusResult(outcome: .noData, dropped: 0)) }
        while true {
            switch self.phase {
            case .listening(let end):
                // The wait for a short group ends with its first message. Of a long one every ECU's counts, as of the codes.
                let isHeard = !self.assembler.messages.isEmpty && !request.isSlow
                guard isHeard || now >= end else { return .wait(until: end) }
                self.listened(request)
            case .sending:
                let data = request.payload.reversed()
                return .send(Array(data), identifier: Self.requestIdentifier)
            case .waiting(let end):
                guard now >= end else { return .wait(until: end) }
                self.waited(request, at: now)
            case .pausing(let end):
                guard now >= end else { return .wait(until: end) }
                self.phase = .sending
            case .ended(let outcome):
                self.request = nil
                return .finished(BusResult(outcome: outcome, dropped: self.dropped))
            }
        }
    }

    /// Ends the wait for a broadcast.
    ///
    /// A long message that began before it, or has not ended yet, is requested.
    private mutating func listened(_ request: BusRequest) {
        var heard = self.assembler
        heard.finish()
        // No ECU refuses what nobody has asked for.
        let isWhole = !heard.messages.isEmpty && (heard.dropped == 0 || !request.isSlow)
        guard isWhole || !self.mayAsk else {
            self.droppedBefore = self.assembler.dropped
            return self.phase = .sending
        }
        self.dropped += heard.dropped
        self.end(heard.messages.isEmpty ? .noData : .answered(heard.replies(to: request)))
    }

    /// Ends the wait for the answers, or has the group requested again.
    private mutating func waited(_ request: BusRequest, at now: MonotonicTime) {
        var received = self.assembler
        received.finish()
        let lost = received.dropped - self.droppedBefore
        self.dropped += lost
        let replies = received.replies(to: request)
        let isBusy = replies.values.contains(.negative(0x21))
        if isBusy || lost > 0, self.attempt < CANTiming.retries {
            self.attempt += 1
            self.assembler.restart()
            self.droppedBefore = self.assembler.dropped
            self.phase = isBusy ? .pausing(until: now + CANTiming.busyPause) : .sending
        } else if replies.isEmpty {
            // A message that was dropped may have been the answer.
            self.end(lost == 0 ? .noData : .unusable(nil))
        } else {
            self.end(.answered(replies))
        }
    }

    private mutating func end(_ outcome: BusOutcome) { self.phase = .ended(outcome) }

    /// Notes that the request was handed to the kernel.
    package mutating func requestSent(at now: MonotonicTime) {
        self.queueFullSince = nil
        self.phase = .waiting(until: now + (self.request?.isSlow == true ? Self.wait.long : Self.wait.usual))
    }

    /// Notes that the kernel has no room for the request.
    package mutating func requestNotSent(at now: MonotonicTime) {
        let since = self.queueFullSince ?? now
        self.queueFullSince = since
        let isOver = now - since >= CANTiming.queueLimit
        self.phase = isOver ? .ended(.busUnavailable(.busBusy)) : .pausing(until: now + CANTiming.queuePause)
    }

    /// Cancels the request, because its deadline passed before it was sent.
    package mutating func withdraw() { self.end(.withdrawn) }

    /// Ends the open request without a result: the interface is lost.
    package mutating func interrupt() { self.request = nil }

    /// Takes a frame of the bus.
    ///
    /// - Parameter identifier: the 29 bits of its identifier.
    package mutating func frameReceived(_ data: [UInt8], identifier: UInt32) {
        guard self.isOpen, let frame = GroupFrame(identifier, data) else { return }
        self.assembler.append(frame)
    }
}
