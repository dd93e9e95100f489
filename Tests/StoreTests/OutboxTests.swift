// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import TestSupport
import Testing

@testable import Store

@Suite("The records that wait for the broker")
struct OutboxTests {
    private static func entry(_ stream: RecordStream, _ seq: UInt64, bytes: Int = 1) -> Outbox.Entry {
        Outbox.Entry(stream: stream, seq: seq, payload: [UInt8](repeating: 0, count: bytes))
    }

    private static func drain(_ outbox: inout Outbox) -> [String] {
        var names: [String] = []
        while let entry = outbox.next() { names.append("\(entry.stream) \(entry.seq)") }
        return names
    }

    @Test("Responses go before events, events before telemetry, each stream by number")
    func order() {
        var outbox = Outbox(limit: 1000)
        for (stream, seq) in [(.telemetry, 1), (.events, 1), (.telemetry, 2), (.responses, 1), (.events, 2)]
            as [(RecordStream, UInt64)]
        { #expect(outbox.append(Self.entry(stream, seq)).isEmpty) }
        #expect(Self.drain(&outbox) == ["responses 1", "events 1", "events 2", "telemetry 1", "telemetry 2"])
        #expect(outbox.count == 5)
    }

    @Test("What was in flight goes again before everything newer, unless it was acknowledged")
    func returning() throws {
        var outbox = Outbox(limit: 1000)
        for seq in 1...4 { _ = outbox.append(Self.entry(.events, UInt64(seq))) }
        let flying = [outbox.next(), outbox.next(), outbox.next()].compactMap(\.self)
        outbox.acknowledge(flying[1])
        outbox.acknowledge(flying[1])
        #expect(outbox.count == 3)
        outbox.returnInFlight()
        _ = outbox.append(Self.entry(.events, 5))
        // The acknowledgement of a lost connection says nothing any more.
        outbox.acknowledge(flying[0])
        #expect(Self.drain(&outbox) == ["events 1", "events 3", "events 4", "events 5"])
    }

    @Test("The oldest telemetry makes room, then the oldest event, and a response last")
    func eviction() {
        var outbox = Outbox(limit: 6)
        _ = outbox.append(Self.entry(.responses, 1, bytes: 2))
        _ = outbox.append(Self.entry(.events, 1, bytes: 2))
        _ = outbox.append(Self.entry(.telemetry, 1, bytes: 2))
        #expect(outbox.append(Self.entry(.events, 2, bytes: 2)) == [.init(stream: .telemetry, range: 1...1)])
        #expect(outbox.append(Self.entry(.responses, 2, bytes: 2)) == [.init(stream: .events, range: 1...1)])
        #expect(outbox.append(Self.entry(.responses, 3, bytes: 2)) == [.init(stream: .events, range: 2...2)])
        #expect(outbox.append(Self.entry(.responses, 4, bytes: 2)) == [.init(stream: .responses, range: 1...1)])
        #expect(outbox.dropped == 4)
        #expect(Self.drain(&outbox) == ["responses 2", "responses 3", "responses 4"])
    }

    @Test("What is in flight is not thrown away")
    func inFlightStays() {
        var outbox = Outbox(limit: 4)
        _ = outbox.append(Self.entry(.telemetry, 1, bytes: 3))
        #expect(outbox.next()?.seq == 1)
        #expect(outbox.append(Self.entry(.telemetry, 2, bytes: 3)) == [.init(stream: .telemetry, range: 2...2)])
        outbox.returnInFlight()
        #expect(Self.drain(&outbox) == ["telemetry 1"])
    }

    @Test("A record larger than all the room goes at once, and takes only what stands behind it")
    func tooLarge() {
        var outbox = Outbox(limit: 4)
        _ = outbox.append(Self.entry(.responses, 1))
        let gaps = outbox.append(Self.entry(.telemetry, 1, bytes: 5))
        #expect(gaps == [.init(stream: .telemetry, range: 1...1)])
        #expect(Self.drain(&outbox) == ["responses 1"])
    }

    /// The same rules, written without any thought for speed.
    private struct Model {
        var limit: Int
        var waiting: [Outbox.Entry] = []
        var flying: [Outbox.Entry] = []

        static func rank(_ stream: RecordStream) -> Int {
            [.responses, .events, .telemetry].firstIndex(of: stream) ?? 9
        }

        mutating func append(_ entry: Outbox.Entry) -> [Outbox.Gap] {
            self.waiting.append(entry)
            var gaps: [Outbox.Gap] = []
            while (self.waiting + self.flying).reduce(0, { $0 + $1.payload.count }) > self.limit,
                let victim = self.waiting.min(by: { (-Self.rank($0.stream), $0.seq) < (-Self.rank($1.stream), $1.seq) })
            {
                self.waiting.removeAll { $0 == victim }
                gaps.append(Outbox.Gap(stream: victim.stream, range: victim.seq...victim.seq))
            }
            return gaps
        }

        mutating func next() -> Outbox.Entry? {
            let next = self.waiting.min { (Self.rank($0.stream), $0.seq) < (Self.rank($1.stream), $1.seq) }
            guard let next else { return nil }
            self.waiting.removeAll { $0 == next }
            self.flying.append(next)
            return next
        }
    }

    @Test("Any sequence of operations does what a simple model does", arguments: 0..<40)
    func model(seed: UInt64) {
        var numbers = SeededNumbers(seed)
        let limit = Int.random(in: 1...200, using: &numbers)
        var outbox = Outbox(limit: limit)
        var model = Model(limit: limit)
        var last: [RecordStream: UInt64] = [:]
        var dropped = 0
        for _ in 0..<400 {
            switch Int.random(in: 0..<10, using: &numbers) {
            case 0..<5:
                let stream = RecordStream.allCases.randomElement(using: &numbers) ?? .events
                last[stream, default: 0] += 1
                let entry = Self.entry(stream, last[stream] ?? 0, bytes: Int.random(in: 0...40, using: &numbers))
                let gaps = outbox.append(entry)
                #expect(gaps == model.append(entry))
                dropped += gaps.count
            case 5..<7:
                #expect(outbox.next() == model.next())
            case 7..<9:
                guard let entry = model.flying.randomElement(using: &numbers) else { continue }
                outbox.acknowledge(entry)
                model.flying.removeAll { $0 == entry }
            default:
                outbox.returnInFlight()
                model.waiting += model.flying
                model.flying = []
            }
            #expect(outbox.count == model.waiting.count + model.flying.count)
            #expect(outbox.dropped == dropped)
        }
    }
}
