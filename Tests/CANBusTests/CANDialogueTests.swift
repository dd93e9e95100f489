// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CANBus
import ELM327
import Testing

struct CANDialogueTests {
    private static let ecus: [ECUAddress] = [0x7E8, 0x7E9, 0x7EA, 0x7EB, 0x7EF].map { .can11($0) }
    private static let engine = ECUAddress.can11(0x7E8)

    private static func reply(_ pid: UInt8, _ value: UInt8 = 0) -> [UInt8] { [0x41, pid, 0, 0, value] }

    @Test("Five ECUs answer one broadcast, and the wait ends with the last of them once they are known")
    func fiveECUs() {
        var bus = ScriptedBus()
        var times: [Duration] = []
        for _ in 0..<3 {
            let start = bus.now
            let result = bus.ask(.pid(0x0C)) { bus, _ in
                for (index, ecu) in Self.ecus.enumerated() {
                    bus.schedule(.message(Self.reply(0x0C, UInt8(index)), ecu), after: .milliseconds(3 + index * 4))
                }
            }
            times.append(bus.now - start)
            let expected = Self.ecus.enumerated().map { ($1, ECUReply.positive([Self.reply(0x0C, UInt8($0))])) }
            #expect(result.outcome == .answered(Dictionary(uniqueKeysWithValues: expected)))
            #expect(result.dropped == 0)
            bus.idle(for: .milliseconds(100))
        }
        #expect(times == [CANTiming.response, CANTiming.response, .milliseconds(19)])
        #expect(bus.sent.map(\.route.transmit) == [0x7DF, 0x7DF, 0x7DF])
    }

    @Test("PIDs whose ECUs are known are grouped in any way without a whole wait")
    func groups() {
        var bus = ScriptedBus()
        // The PIDs of each ECU.
        let known: [(ecu: ECUAddress, pids: Set<UInt8>)] = [(Self.engine, [0x04, 0x05, 0x0C]), (Self.ecus[1], [0x05])]
        func ask(_ bus: inout ScriptedBus, _ pids: [UInt8]) -> (ecus: Set<ECUAddress>, time: Duration) {
            let start = bus.now
            let result = bus.ask(BusRequest(payload: [0x01] + pids, echo: [])) { bus, _ in
                for (index, entry) in known.enumerated() {
                    let answered = pids.filter(entry.pids.contains)
                    guard !answered.isEmpty else { continue }
                    let message = answered.reduce(into: [0x41]) { $0 += [$1, 0] }
                    bus.schedule(.message(message, entry.ecu), after: .milliseconds(3 + 4 * index))
                }
            }
            // Until no late reply is possible.
            defer { bus.idle(for: .milliseconds(700)) }
            guard case .answered(let replies) = result.outcome else { return ([], bus.now - start) }
            return (Set(replies.keys), bus.now - start)
        }
        let both: Set<ECUAddress> = [Self.engine, Self.ecus[1]]
        #expect(ask(&bus, [0x04, 0x0C]) == ([Self.engine], CANTiming.response))
        #expect(ask(&bus, [0x05, 0x0C]) == (both, CANTiming.response))
        #expect(ask(&bus, [0x05, 0x04]) == (both, CANTiming.response))
        #expect(ask(&bus, [0x0C, 0x05, 0x04]) == (both, .milliseconds(7)))
        #expect(ask(&bus, [0x0C]) == ([Self.engine], .milliseconds(3)))
        #expect(ask(&bus, [0x05]) == (both, .milliseconds(7)))
    }

    @Test("An ECU that answers a broadcast only now and then is waited for again")
    func newcomer() {
        var bus = ScriptedBus()
        func ask(_ bus: inout ScriptedBus, withSecond: Bool) -> (count: Int, time: Duration) {
            let start = bus.now
            let result = bus.ask(.pid(0x0C)) { bus, _ in
                bus.schedule(.message(Self.reply(0x0C), Self.engine), after: .milliseconds(4))
                if withSecond { bus.schedule(.message(Self.reply(0x0C), Self.ecus[1]), after: .milliseconds(20)) }
            }
            defer { bus.idle(for: .milliseconds(700)) }
            guard case .answered(let replies) = result.outcome else { return (0, bus.now - start) }
            return (replies.count, bus.now - start)
        }
        for _ in 0..<2 { _ = ask(&bus, withSecond: false) }
        #expect(ask(&bus, withSecond: false) == (1, .milliseconds(4)))
        // The reply of the second ECU comes after the end, so the next wait is a whole one.
        #expect(ask(&bus, withSecond: true) == (1, .milliseconds(4)))
        #expect(ask(&bus, withSecond: true) == (2, CANTiming.response))
    }

    @Test("An ECU may ask for patience ten times before it answers")
    func responsePending() {
        var bus = ScriptedBus()
        let request = BusRequest(payload: [0x22, 0xF1, 0x90], echo: [0xF1, 0x90], addressing: .ecu(0x7E0))
        let start = bus.now
        let result = bus.ask(request) { bus, _ in
            for number in 0..<10 {
                let pending: [UInt8] = [0x7F, 0x22, 0x78]
                bus.schedule(.message(pending, Self.engine), after: .milliseconds(40 + 4900 * number))
            }
            bus.schedule(.message([0x62, 0xF1, 0x90, 1], Self.engine), after: .milliseconds(40 + 4900 * 9 + 4900))
        }
        #expect(result == BusResult(outcome: .answered([Self.engine: .positive([[0x62, 0xF1, 0x90, 1]])]), dropped: 0))
        #expect(bus.sent.count == 1)
        #expect(bus.now - start == .milliseconds(49_040))
    }

    @Test("An ECU that only asks for patience is reported as such, and its late answer is not taken for another")
    func neverReady() {
        var bus = ScriptedBus()
        let request = BusRequest(payload: [0x22, 0x12, 0x34], echo: [0x12, 0x34], addressing: .ecu(0x7E0))
        let result = bus.ask(request) { bus, _ in
            bus.schedule(.message([0x7F, 0x22, 0x78], Self.engine), after: .milliseconds(10))
            bus.schedule(.message([0x7F, 0x22, 0x31], Self.engine), after: .milliseconds(5200))
        }
        #expect(result.outcome == .answered([Self.engine: .negative(0x78)]))
        let other = BusRequest(payload: [0x22, 0x56, 0x78], echo: [0x56, 0x78], addressing: .ecu(0x7E0))
        let second = bus.ask(other) { bus, _ in
            bus.schedule(.message([0x62, 0x56, 0x78, 7], Self.engine), after: .milliseconds(300))
            bus.schedule(.message([0x62, 0x56, 0x78, 7], Self.engine), after: .milliseconds(10))
        }
        #expect(second.outcome == .answered([Self.engine: .positive([[0x62, 0x56, 0x78, 7]])]))
    }

    @Test("A long reply is waited for while its frames arrive")
    func longReply() {
        var bus = ScriptedBus()
        let long = [0x49, 0x02] + [UInt8](repeating: 0x41, count: 300)
        let result = bus.ask(BusRequest(payload: [0x09, 0x02], echo: [0x02], addressing: .ecu(0x7E0))) { bus, _ in
            bus.schedule(.frame([0x11, 0x2E, 0x49, 0x02, 1, 0x41, 0x41, 0x41], Self.engine), after: .milliseconds(30))
            for number in 1...4 {
                let frame = [0x20 | UInt8(number)] + [UInt8](repeating: 0x41, count: 7)
                bus.schedule(.frame(frame, Self.engine), after: .milliseconds(30 + number * 900))
            }
            bus.schedule(.message(long, Self.engine), after: .milliseconds(3700))
        }
        #expect(result.outcome == .answered([Self.engine: .positive([long])]))
        #expect(bus.sent.count == 1)
    }

    @Test("A reply with a lost consecutive frame is requested again, and the newest reply of each ECU counts")
    func lostFrame() {
        var bus = ScriptedBus()
        let result = bus.ask(BusRequest(payload: [0x09, 0x02], echo: [0x02])) { bus, attempt in
            if attempt == 0 {
                bus.schedule(.message([0x49, 0x02, 2], Self.ecus[1]), after: .milliseconds(5))
                bus.schedule(.frame([0x10, 0x14], Self.engine), after: .milliseconds(8))
                bus.schedule(.damaged(Self.engine), after: .milliseconds(1008))
            } else {
                bus.schedule(.message([0x49, 0x02, 3], Self.ecus[1]), after: .milliseconds(5))
                bus.schedule(.message([0x49, 0x02, 1], Self.engine), after: .milliseconds(30))
            }
        }
        #expect(
            result.outcome
                == .answered([
                    Self.engine: .positive([[0x49, 0x02, 1]]), Self.ecus[1]: .positive([[0x49, 0x02, 3]]),
                ])
        )
        #expect(bus.sent.count == 2)
        #expect(result.dropped == 1)
    }

    @Test("Replies that stay damaged are no answer")
    func staysDamaged() {
        var bus = ScriptedBus()
        let result = bus.ask(.pid(0x0C, to: .ecu(0x7E0))) { bus, _ in
            bus.schedule(.damaged(Self.engine), after: .milliseconds(8))
        }
        #expect(result == BusResult(outcome: .unusable(nil), dropped: 3))
        #expect(bus.sent.count == 3)
    }

    @Test("The late refusal of one request is not taken for the answer to the next")
    func lateRefusal() {
        var bus = ScriptedBus()
        let first = bus.ask(.pid(0x5A, to: .ecu(0x7E0))) { bus, _ in
            bus.schedule(.message([0x7F, 0x01, 0x12], Self.engine), after: .milliseconds(155))
        }
        #expect(first.outcome == .noData)
        let second = bus.ask(.pid(0x0C, to: .ecu(0x7E0))) { bus, _ in
            bus.schedule(.message(Self.reply(0x0C, 9), Self.engine), after: .milliseconds(20))
        }
        #expect(second.outcome == .answered([Self.engine: .positive([Self.reply(0x0C, 9)])]))
        #expect(second.dropped == 1)
    }

    @Test("The copy of a refusal is not taken for the answer to the next request")
    func copiedRefusal() {
        var bus = ScriptedBus()
        _ = bus.ask(.pid(0x5A, to: .ecu(0x7E0))) { bus, _ in
            bus.schedule(.message([0x7F, 0x01, 0x12], Self.engine), after: .milliseconds(5))
            bus.schedule(.message([0x7F, 0x01, 0x12], Self.engine), after: .milliseconds(7))
        }
        let result = bus.ask(.pid(0x0C, to: .ecu(0x7E0))) { bus, _ in
            bus.schedule(.message(Self.reply(0x0C, 9), Self.engine), after: .milliseconds(20))
        }
        #expect(result.outcome == .answered([Self.engine: .positive([Self.reply(0x0C, 9)])]))
    }

    @Test("Other ECUs and other testers' answers do not count")
    func foreign() {
        var bus = ScriptedBus()
        let result = bus.ask(.pid(0x0C, to: .ecu(0x7E0))) { bus, _ in
            bus.schedule(.message(Self.reply(0x0C, 1), Self.ecus[1]), after: .milliseconds(2))
            bus.schedule(.message(Self.reply(0x0D, 2), Self.engine), after: .milliseconds(3))
            bus.schedule(.message([], Self.engine), after: .milliseconds(4))
            bus.schedule(.message([0x7F, 0x22, 0x31], Self.engine), after: .milliseconds(5))
            bus.schedule(.message([0x41, 0x0C, 0, 0], Self.engine), after: .milliseconds(6))
            bus.schedule(.message(Self.reply(0x0C, 3), Self.engine), after: .milliseconds(20))
        }
        #expect(result == BusResult(outcome: .answered([Self.engine: .positive([Self.reply(0x0C, 3)])]), dropped: 5))
    }

    @Test("A busy ECU is asked again after a pause")
    func busy() {
        var bus = ScriptedBus()
        let result = bus.ask(.pid(0x0C, to: .ecu(0x7E0))) { bus, attempt in
            let message = attempt == 0 ? [0x7F, 0x01, 0x21] : Self.reply(0x0C)
            bus.schedule(.message(message, Self.engine), after: .milliseconds(10))
        }
        #expect(result.outcome == .answered([Self.engine: .positive([Self.reply(0x0C)])]))
        #expect(bus.sent[1].time - bus.sent[0].time == .milliseconds(10) + CANTiming.busyPause)
    }

    @Test("A request that writes is sent once, after the time of all late replies")
    func writing() {
        var bus = ScriptedBus()
        _ = bus.ask(BusRequest(payload: [0x04], echo: [])) { _, _ in }
        let start = bus.now
        let clear = BusRequest(payload: [0x04], echo: [], lengths: 1...1, isSlow: true, isRepeatable: false)
        let result = bus.ask(clear) { bus, _ in bus.schedule(.damaged(Self.engine), after: .milliseconds(5)) }
        #expect(result == BusResult(outcome: .unusable(nil), dropped: 1))
        #expect(bus.sent.count == 2)
        #expect(bus.sent[1].time == start + CANTiming.late)
    }

    @Test("A request that does not leave ends: with a full queue, and without an acknowledgment")
    func unsent() {
        var bus = ScriptedBus()
        bus.isFull = true
        let start = bus.now
        #expect(bus.ask(.pid(0x0C)) { _, _ in }.outcome == .busUnavailable(.busBusy))
        #expect(bus.now - start == CANTiming.queueLimit)
        bus.isFull = false
        let result = bus.ask(.pid(0x0C)) { bus, _ in bus.schedule(.lost, after: .milliseconds(50)) }
        #expect(result.outcome == .busUnavailable(.busError))
    }

    @Test("Without an answer a request is not repeated")
    func silence() {
        var bus = ScriptedBus()
        #expect(bus.ask(.pid(0x0C)) { _, _ in } == BusResult(outcome: .noData, dropped: 0))
        #expect(bus.sent.count == 1)
        let address = Addressing(header: .legacy(0x82, 0x10, 0xF1), responder: nil)
        #expect(bus.ask(.pid(0x0C, to: address)) { _, _ in }.outcome == .refused("the address is not one of this bus"))
        #expect(bus.sent.count == 1)
    }
}
