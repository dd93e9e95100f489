// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

@testable import Collect

@Suite("Closing of gaps")
struct GapClosingTests {
    /// Two collectors of one database, an agent that keeps most of its records, and a broker that loses messages.
    private struct World {
        static let last: UInt64 = 1300
        /// The records that were lost at once, and that the agent does not keep.
        static let pruned = NumberSet([1...7, 500...510])
        let key = StreamKey(agent: "a1", vehicle: "van", stream: .telemetry, epoch: 7)
        let tables = MemoryTables()
        var watches = ["x", "y"].map { GapWatch(run: $0) }
        var writer = BatchWriter()
        var numbers: SeededNumbers
        var seconds: Int64 = 0
        var requests = 0
        /// The records that were sent again in vain.
        var unneeded = 0

        init(_ seed: UInt64) { self.numbers = SeededNumbers(seed) }

        var now: MonotonicTime { MonotonicTime(sinceBoot: .seconds(self.seconds)) }
        var date: Timestamp { Messages.now + .seconds(self.seconds) }
        var received: Received { self.tables.content.received[self.key] ?? Received() }

        mutating func isLost(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self.numbers) < percent }

        mutating func write(_ messages: [Message], _ changes: [StreamChange] = []) throws {
            var batch = try Messages.batch(messages)
            batch.changes += changes
            let result = try self.writer.write(batch, to: MemoryDatabase(self.tables), at: self.date) { _ in }
            self.unneeded += result.duplicates
        }

        mutating func perform(_ actions: [GapWatch.Action], of place: Int) throws {
            for action in actions {
                switch action {
                case .claim(let limit, let until):
                    let claimed = try MemoryDatabase(self.tables).gaps(limit: limit, at: self.date, until: until)
                    self.watches[place].streamsClaimed(claimed, at: self.now)
                case .read(let keys):
                    let streams = self.tables.content.rows(of: keys)
                    try self.perform(self.watches[place].streamsRead(streams, at: self.now, self.date), of: place)
                case .change(let change): try self.write([], [change])
                case .publish(let request): try self.answer(request, of: place)
                }
            }
        }

        /// The agent answers, unless the broker loses the command, and sends what it has.
        mutating func answer(_ request: ResendRequest, of place: Int) throws {
            self.requests += 1
            if self.isLost(10) { return }
            let to = min(request.range.to ?? Self.last, Self.last)
            #expect(to < request.range.from + ResendArguments.limit)
            let asked = NumberSet(request.range.from <= to ? [request.range.from...to] : [])
            let missing = asked.intersection(Self.pruned)
            let there = Self.pruned.holes(from: request.range.from, through: to)
            let answer = try Messages.response(
                UInt64(self.requests),
                epoch: 8,
                [
                    "id": .string(request.id), "command": "resend", "state": "succeeded",
                    "result": ResendReport(
                        .telemetry,
                        epoch: 7,
                        from: request.range.from,
                        to: to,
                        records: Int(there.count),
                        missing: missing.ranges,
                        last: Self.last
                    ).json,
                ]
            )
            try self.write([answer])
            for number in there.ranges.joined() where !self.isLost(20) {
                try self.write([try Messages.telemetry(number)])
            }
            guard case .response(let response) = try Messages.batch([answer]).records.first?.content else { return }
            let actions = self.watches[place].responseReceived(
                response.response,
                response.resend,
                from: "van",
                at: self.now,
                self.date
            )
            try self.perform(actions, of: place)
        }
    }

    @Test("Whatever the broker loses comes again, but for what the agent does not have", arguments: 0..<5)
    func all(seed: UInt64) throws {
        var world = World(seed)
        for place in 0..<2 {
            _ = world.watches[place].presenceChanged(.availability("van", isOnline: true))
            _ = world.watches[place].presenceChanged(.agent("van", agent: "a1", since: world.date))
        }
        // The end is lost too, and the agent has started again.
        for number in 1...(World.last - 50) where !World.pruned.contains(number) && !world.isLost(30) {
            try world.write([try Messages.telemetry(number)])
        }
        try world.write(
            [],
            [StreamChange(StreamKey(agent: "a1", vehicle: "van", stream: .telemetry, epoch: 8), .exists(0))]
        )
        while !world.received.isEnded || world.received.outlook.hasHoles {
            try #require(world.seconds < 30 * 24 * 3600)
            world.seconds += 5
            for place in 0..<2 {
                let actions = world.watches[place].timePassed(at: world.now, world.date)
                try world.perform(actions, of: place)
            }
        }
        #expect(world.received.last == World.last)
        #expect(world.received.lost.ranges == World.pruned.ranges)
        #expect(world.tables.content.samples.count == 2 * Int(World.last - World.pruned.count))
    }
}
