// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CANBus
import ELM327
import Testing

struct GroupDialogueTests {
    private static let group: UInt32 = 0xFEE5
    private static let payload: [UInt8] = [0x00, 0xFE, 0xE5]
    private static let start = MonotonicTime(sinceBoot: .seconds(10))

    /// A frame on the bus, at a time after the begin of the request.
    private struct Frame {
        let after: Duration
        let identifier: UInt32
        let data: [UInt8]
    }

    private static func message(
        after: Duration,
        group: UInt32 = group,
        source: UInt32 = 0,
        _ data: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    ) -> Frame {
        let destination: UInt32 = group >> 8 & 0xFF < 0xF0 ? 0xFF : 0
        return Frame(after: after, identifier: 6 << 26 | (group | destination) << 8 | source, data: data)
    }

    /// Returns the frames of a message of 14 bytes to all, 50 ms apart.
    private static func longMessage(after: Duration, group: UInt32 = group, source: UInt32 = 0, _ byte: UInt8)
        -> [Frame]
    {
        let name = [UInt8(group & 0xFF), UInt8(group >> 8 & 0xFF), UInt8(group >> 16)]
        let begin = Frame(after: after, identifier: 0x1CEC_FF00 | source, data: [0x20, 14, 0, 2, 0xFF] + name)
        return [begin]
            + (1...2).map { number in
                Frame(
                    after: after + .milliseconds(50 * number),
                    identifier: 0x1CEB_FF00 | source,
                    data: [UInt8(number)] + [UInt8](repeating: byte, count: 7)
                )
            }
    }

    /// Runs one request, and returns how often it was sent, the result, and the time that it took.
    private static func run(
        _ request: BusRequest,
        mayAsk: Bool = true,
        fullQueue: Int = 0,
        _ frames: [Frame] = []
    ) -> (sent: Int, result: BusResult?, duration: Duration) {
        var dialogue = GroupDialogue()
        var (now, frames, fullQueue, sent) = (Self.start, frames[...], fullQueue, 0)
        dialogue.begin(request, mayAsk: mayAsk, at: now)
        for _ in 0..<1000 {
            switch dialogue.next(at: now) {
            case .send(let data, let identifier):
                if fullQueue > 0 {
                    fullQueue -= 1
                    dialogue.requestNotSent(at: now)
                } else {
                    #expect(identifier == 0x18EA_FFF9 && data == request.payload.reversed())
                    sent += 1
                    dialogue.requestSent(at: now)
                }
            case .wait(let end):
                guard let frame = frames.first, Self.start + frame.after <= end else {
                    now = end
                    continue
                }
                now = max(now, Self.start + frame.after)
                frames.removeFirst()
                dialogue.frameReceived(frame.data, identifier: frame.identifier)
            case .finished(let result): return (sent, result, now - Self.start)
            }
        }
        return (sent, nil, now - Self.start)
    }

    private static func answer(_ data: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]) -> ECUReply { .positive([payload + data]) }

    @Test("A broadcast that is heard answers a request that is never sent; a short group takes the first one")
    func broadcast() {
        let request = BusRequest(group: Self.group, listening: .seconds(1))
        let heard = Self.run(
            request,
            [
                Self.message(after: .milliseconds(10), group: 0xFEF1), Self.message(after: .milliseconds(80)),
                Self.message(after: .milliseconds(90), source: 3),
            ]
        )
        #expect(heard.sent == 0 && heard.duration == .milliseconds(80))
        #expect(heard.result == BusResult(outcome: .answered([.j1939(0): Self.answer()]), dropped: 0))
    }

    @Test("A group that nobody broadcasts is requested once the time to listen is over, unless nothing may be sent")
    func requested() {
        let request = BusRequest(group: Self.group, listening: .seconds(1))
        let silent = Self.run(request, mayAsk: false)
        #expect(silent.sent == 0 && silent.result?.outcome == .noData && silent.duration == .seconds(1))
        let asked = Self.run(request, [Self.message(after: .milliseconds(1030))])
        #expect(asked.sent == 1 && asked.duration == .seconds(1) + GroupDialogue.wait.usual)
        #expect(asked.result?.outcome == .answered([.j1939(0): Self.answer()]))
        let nobody = Self.run(request)
        #expect(nobody.sent == 1 && nobody.result == BusResult(outcome: .noData, dropped: 0))
    }

    @Test("Of a long group every sender within the wait counts, with its newest message; one in part has it requested")
    func longGroup() {
        let request = BusRequest(group: Self.group, listening: .milliseconds(1500), isSlow: true)
        let both =
            Self.longMessage(after: .milliseconds(30), 1) + Self.longMessage(after: .milliseconds(1030), 2)
            + [Self.message(after: .milliseconds(1400), source: 3)]
        let heard = Self.run(request, both + [Self.message(after: .milliseconds(1501), source: 0x21)])
        #expect(heard.sent == 0 && heard.duration == .milliseconds(1500))
        let newest = Self.answer([UInt8](repeating: 2, count: 14))
        #expect(heard.result?.outcome == .answered([.j1939(0): newest, .j1939(3): Self.answer()]))
        // The engine's message has begun before: it may have codes that the other ECU's list does not show.
        let late = Self.longMessage(after: .milliseconds(-60), 1)[2...] + [both[6]]
        let whole = Self.longMessage(after: .milliseconds(1600), 2)
        let asked = Self.run(request, late + whole)
        #expect(asked.sent == 1)
        #expect(asked.result?.outcome == .answered([.j1939(0): newest, .j1939(3): Self.answer()]))
        // It goes on when the request is sent, and counts.
        let open = Self.run(request, Self.longMessage(after: .milliseconds(1420), 2))
        #expect(open.sent == 1 && open.result?.outcome == .answered([.j1939(0): newest]))
    }

    @Test("A lost frame has the group requested again; frames of another group are put into no message")
    func lostFrames() {
        let request = BusRequest(group: Self.group, isSlow: true)
        var lost = Self.longMessage(after: .milliseconds(30), 1)
        lost.remove(at: 1)
        let again = Self.longMessage(after: .milliseconds(3030), 2)
        let repeated = Self.run(request, lost + again)
        #expect(repeated.sent == 2)
        #expect(repeated.result?.outcome == .answered([.j1939(0): Self.answer([UInt8](repeating: 2, count: 14))]))
        // The second frame is lost, and that of the next message would fit.
        let foreign =
            Self.longMessage(after: .milliseconds(30), 1).dropLast()
            + Self.longMessage(after: .milliseconds(200), group: 0xFEE3, 7)
        let never = Self.run(request, Array(foreign))
        #expect(never.sent == 2 && never.result?.outcome == .noData && (never.result?.dropped ?? 0) > 0)
        // Each answer loses a frame.
        let always = (0..<3).flatMap { Self.longMessage(after: .seconds(3 * $0) + .milliseconds(30), 1).dropLast() }
        let unusable = Self.run(request, always)
        #expect(unusable.sent == 3 && unusable.result?.outcome == .unusable(nil))
    }

    @Test("A refusal is told as one; a busy ECU is asked again, three times at most")
    func refusals() {
        let request = BusRequest(group: Self.group)
        func refusal(_ control: UInt8, tester: UInt8 = 0xF9, _ group: [UInt8] = [0xE5, 0xFE, 0x00], after: Int = 20)
            -> Frame
        {
            Self.message(after: .milliseconds(after), group: 0xE800, [control, 0xFF, 0xFF, 0xFF, tester] + group)
        }
        #expect(Self.run(request, [refusal(2)]).result?.outcome == .answered([.j1939(0): .negative(0x33)]))
        #expect(
            Self.run(request, [refusal(2, tester: 0xFF)]).result?.outcome == .answered([.j1939(0): .negative(0x33)])
        )
        // Of another tester's request, of another group, and a positive one, which brings no data.
        for other in [refusal(1, tester: 0xFA), refusal(1, [0xEC, 0xFE, 0x00]), refusal(0)] {
            #expect(Self.run(request, [other]).result?.outcome == .noData)
        }
        // While nobody has asked, it is another tester's.
        let listening = BusRequest(group: Self.group, listening: .seconds(1))
        let heard = Self.run(listening, [refusal(1), Self.message(after: .milliseconds(300))])
        #expect(heard.sent == 0 && heard.result?.outcome == .answered([.j1939(0): Self.answer()]))
        let busy = Self.run(request, (0..<9).map { refusal(3, after: 20 + $0 * 400) })
        #expect(busy.sent == 3 && busy.result?.outcome == .answered([.j1939(0): .negative(0x21)]))
    }

    @Test("A full queue is tried again for a tenth of a second; a request past its deadline is not sent")
    func fullQueue() {
        let request = BusRequest(group: Self.group)
        let late = Self.run(request, fullQueue: 3, [Self.message(after: .milliseconds(40))])
        #expect(late.sent == 1 && late.result?.outcome == .answered([.j1939(0): Self.answer()]))
        let never = Self.run(request, fullQueue: .max)
        #expect(never.sent == 0 && never.result?.outcome == .busUnavailable(.busBusy))
        #expect(never.duration <= CANTiming.queueLimit + CANTiming.queuePause)

        var dialogue = GroupDialogue()
        dialogue.begin(request, at: Self.start)
        #expect(dialogue.next(at: Self.start) == .send([0xE5, 0xFE, 0x00], identifier: 0x18EA_FFF9))
        dialogue.withdraw()
        #expect(dialogue.next(at: Self.start) == .finished(BusResult(outcome: .withdrawn, dropped: 0)))
        // Without a request nothing is taken in.
        dialogue.frameReceived([1], identifier: 0x18FE_E500)
        #expect(dialogue.next(at: Self.start) == .finished(BusResult(outcome: .noData, dropped: 0)))
    }
}
