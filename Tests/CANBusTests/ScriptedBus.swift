// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CANBus
import ELM327

/// A CAN bus in virtual time, and the driver of a ``CANDialogue`` on it.
struct ScriptedBus {
    /// Something that arrives from the kernel.
    enum Arrival {
        case message([UInt8], ECUAddress)
        /// A frame of a long message.
        case frame([UInt8], ECUAddress)
        case damaged(ECUAddress)
        /// No node has acknowledged the request.
        case lost
    }

    struct Sent {
        let payload: [UInt8]
        let route: CANRoute
        let time: MonotonicTime
    }

    private(set) var now = MonotonicTime(sinceBoot: .seconds(100))
    private(set) var sent: [Sent] = []
    var dialogue = CANDialogue()
    /// The arrivals to come, the next one last.
    private var arrivals: [(time: MonotonicTime, arrival: Arrival)] = []
    /// Whether the queue of the interface is full.
    var isFull = false

    /// Has something arrive after a delay.
    mutating func schedule(_ arrival: Arrival, after delay: Duration) {
        let time = self.now + delay
        // Arrivals at the same time keep their order.
        let index = self.arrivals.firstIndex { $0.time <= time } ?? self.arrivals.endIndex
        self.arrivals.insert((time, arrival), at: index)
    }

    private mutating func deliver() {
        while let next = self.arrivals.last, next.time <= self.now {
            self.arrivals.removeLast()
            switch next.arrival {
            case .message(let message, let ecu): self.dialogue.messageReceived(message, from: ecu, at: next.time)
            case .frame(let bytes, let ecu): self.dialogue.frameReceived(bytes, from: ecu, at: next.time)
            case .damaged(let ecu): self.dialogue.messageDamaged(from: ecu, at: next.time)
            case .lost: self.dialogue.requestLost()
            }
        }
    }

    /// Lets time pass without a request.
    mutating func idle(for duration: Duration) {
        let end = self.now + duration
        while let next = self.arrivals.last, next.time <= end {
            self.now = max(self.now, next.time)
            self.deliver()
        }
        self.now = end
    }

    /// Asks, and has `answer` schedule the replies to each request that is sent.
    mutating func ask(
        _ request: BusRequest,
        on bus: BusProtocol = .can11at500,
        answer: (inout ScriptedBus, Int) -> Void
    ) -> BusResult {
        self.dialogue.begin(request, on: bus, at: self.now)
        var count = 0
        while true {
            switch self.dialogue.next(at: self.now) {
            case .send(let payload, let route):
                self.deliver()
                guard !self.isFull else {
                    self.dialogue.requestNotSent(at: self.now)
                    continue
                }
                self.sent.append(Sent(payload: payload, route: route, time: self.now))
                self.dialogue.requestSent(at: self.now)
                answer(&self, count)
                count += 1
            case .wait(let end):
                let next = self.arrivals.last.map(\.time) ?? end
                self.now = max(self.now, min(next, end))
                self.deliver()
            case .finished(let result): return result
            }
        }
    }
}

extension BusRequest {
    /// The request for a PID of service 01, whose replies have three bytes of data.
    static func pid(_ pid: UInt8, to addressing: Addressing? = nil) -> BusRequest {
        BusRequest(payload: [0x01, pid], echo: [pid], lengths: 5...5, addressing: addressing)
    }
}

extension Addressing {
    /// The ECU with this identifier of requests, which replies with the eighth after it.
    static func ecu(_ identifier: UInt16) -> Addressing {
        Addressing(header: .can11(identifier), responder: .can11(identifier + 8))
    }
}
