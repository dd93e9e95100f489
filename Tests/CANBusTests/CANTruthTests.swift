// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CANBus
import ELM327
import TestSupport
import Testing

/// Random schedules of late, lost, damaged, doubled and foreign replies: nothing wrong may count as an answer.
struct CANTruthTests {
    /// The vehicle's log: each of its replies has a number, from which its request is known.
    private struct Vehicle {
        struct Answer {
            let payload: [UInt8]
            var arrival: MonotonicTime
        }

        static let ecus: [ECUAddress] = [0x7E8, 0x7E9, 0x7EA, 0x7EB, 0x7EC].map { .can11($0) }

        var generator: SeededNumbers
        var log: [Answer] = []
        var replies = 0

        /// The refusal of an ECU, which depends on the request alone; nil if it answers.
        static func refusal(_ payload: [UInt8], _ index: Int) -> UInt8? {
            switch (Int(payload[1]) + index) % 7 {
            case 0: 0x12
            case 1: 0x31
            default: nil
            }
        }

        mutating func chance(_ percent: Double) -> Bool { Double.random(in: 0..<100, using: &self.generator) < percent }

        mutating func delay(_ range: ClosedRange<Int>) -> Duration {
            .microseconds(Int.random(in: range.lowerBound * 1000...range.upperBound * 1000, using: &self.generator))
        }

        /// Schedules the replies to a request, and troubles.
        mutating func answer(_ payload: [UInt8], from indices: [Int], on bus: inout ScriptedBus) {
            for index in indices {
                let ecu = Self.ecus[index]
                let number = self.log.count
                self.log.append(Answer(payload: payload, arrival: bus.now))
                let data = [16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
                let message =
                    Self.refusal(payload, index).map { [0x7F, payload[0], $0] } ?? [payload[0] | 0x40, payload[1]]
                    + data
                guard !self.chance(2) else { continue }
                var delay = self.chance(4) ? self.delay(151...450) : self.delay(1...45)
                if self.chance(1) {
                    bus.schedule(.damaged(ecu), after: delay)
                    continue
                }
                if self.chance(2) {
                    bus.schedule(.message([0x7F, payload[0], 0x78], ecu), after: self.delay(1...45))
                    delay = self.delay(60...3000)
                }
                self.replies += 1
                self.log[number].arrival = bus.now + delay
                bus.schedule(.message(message, ecu), after: delay)
                if self.chance(4) { bus.schedule(.message(message, ecu), after: delay + self.delay(0...9)) }
                // The answer to another tester, and junk.
                if self.chance(3) {
                    bus.schedule(.message([payload[0] | 0x40, payload[1] ^ 0x80, 0xFF, 0xFF, 0xFF], ecu), after: delay)
                }
                if self.chance(1) { bus.schedule(.message([0x41], ecu), after: self.delay(0...45)) }
            }
        }
    }

    @Test("Of 100,000 replies, no late, doubled or foreign one is taken for an answer", arguments: [1, 2] as [UInt64])
    func truth(seed: UInt64) {
        var vehicle = Vehicle(generator: SeededNumbers(seed))
        var bus = ScriptedBus()
        var (accepted, refused, unanswered, wrong) = (0, 0, 0, [String]())
        while vehicle.replies < 50_000 {
            let index = vehicle.chance(50) ? Int.random(in: 0..<5, using: &vehicle.generator) : nil
            let service: UInt8 = vehicle.chance(70) ? 0x01 : 0x22
            let payload = [service, UInt8.random(in: 1...12, using: &vehicle.generator)]
            let request = BusRequest(
                payload: payload,
                echo: [payload[1]],
                addressing: index.map { .ecu(0x7E0 + UInt16($0)) }
            )
            let first = vehicle.log.count
            let start = bus.now
            let result = bus.ask(request) { bus, _ in
                vehicle.answer(payload, from: index.map { [$0] } ?? [0, 1, 2, 3, 4], on: &bus)
            }
            guard case .answered(let replies) = result.outcome else {
                unanswered += 1
                continue
            }
            for (ecu, reply) in replies {
                guard let sender = Vehicle.ecus.firstIndex(of: ecu), index == nil || sender == index else {
                    wrong.append("\(ecu) was not asked")
                    continue
                }
                let refusal = Vehicle.refusal(payload, sender)
                switch reply {
                case .negative(let code):
                    refused += 1
                    if code != refusal { wrong.append("\(payload): \(ecu) refuses with \(code), not \(refusal ?? 0)") }
                case .positive(let messages):
                    accepted += 1
                    let data = messages.first.map { Array($0.dropFirst(2)) } ?? []
                    let number = data.reduce(0) { $0 << 8 | Int($1) }
                    guard messages.count == 1, vehicle.log.indices.contains(number), refusal == nil else {
                        wrong.append("\(payload): \(messages) is no reply")
                        continue
                    }
                    let answer = vehicle.log[number]
                    // The copy of an answer to the same request a moment ago has the same value.
                    let isFresh = number >= first || start - answer.arrival < CANTiming.double
                    if answer.payload != payload || !isFresh {
                        wrong.append("\(payload): the reply to \(answer.payload), \(start - answer.arrival) before")
                    }
                }
            }
            if vehicle.chance(50) { bus.idle(for: vehicle.delay(0...100)) }
        }
        #expect(wrong == [], "seed \(seed)")
        // Most are answered all the same.
        #expect(accepted > 20_000 && refused > 5000 && unanswered < 2000, "\(accepted) \(refused) \(unanswered)")
    }
}
