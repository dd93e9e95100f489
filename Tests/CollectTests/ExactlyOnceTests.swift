// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

@testable import Collect

@Suite("Exactly once")
struct ExactlyOnceTests {
    /// A collector: the messages that its broker connection has sent and that it has not acknowledged.
    private struct Collector {
        var database: MemoryDatabase
        var writer = BatchWriter()
        var queue: [Int] = []
    }

    @Test("Three collectors write each record once, whatever fails at whatever call", arguments: 0..<60)
    func random(seed: UInt64) throws {
        var numbers = SeededNumbers(seed)
        let tables = MemoryTables()
        var faults = SeededNumbers(seed ^ 0xFEED)
        tables.fault = { _ in
            switch Int.random(in: 0..<40, using: &faults) {
            case 0: .unreachable("gone")
            case 1: .conflict("deadlock")
            case 2: .full("no room")
            default: nil
            }
        }
        // Two agents, one of which starts again, and a copy of the other's card; each record has a value of its own.
        var messages: [Message] = []
        let epochs: [(agent: String, epoch: UInt64, vehicle: String)] = [
            ("a1", 7, "van"), ("a1", 8, "van"), ("b2", 1, "bus"), ("b2", 1, "copy"),
        ]
        for (agent, epoch, vehicle) in epochs {
            for seq in 1...40 as ClosedRange<UInt64> {
                let value = JSON.integer(Int64(messages.count))
                let series: JSON = ["x": ["ecu": "7E8", "scale": 1, "dt": [0], "dv": [value]]]
                messages.append(try Messages.telemetry(seq, agent: agent, epoch: epoch, of: vehicle, series))
            }
        }
        var collectors = (0..<3).map { _ in Collector(database: MemoryDatabase(tables)) }
        // The broker gives each message to one of the group, some to several, and in any order.
        for index in messages.indices.shuffled(using: &numbers) {
            for _ in 0..<(Int.random(in: 0..<4, using: &numbers) == 0 ? 3 : 1) {
                collectors[Int.random(in: 0..<3, using: &numbers)].queue.append(index)
            }
        }
        var rounds = 0
        while collectors.contains(where: { !$0.queue.isEmpty }) {
            rounds += 1
            try #require(rounds < 100_000)
            let place = Int.random(in: 0..<3, using: &numbers)
            var collector = collectors[place]
            let count = min(collector.queue.count, Int.random(in: 0...12, using: &numbers))
            let batch = try Messages.batch(collector.queue.prefix(count).map { messages[$0] })
            do {
                _ = try collector.writer.write(batch, to: collector.database, at: Messages.now) { _ in }
                // The acknowledgments of some are lost with the connection: the broker sends them again.
                let lost = Int.random(in: 0..<5, using: &numbers) == 0 ? Array(collector.queue.prefix(2)) : []
                collector.queue.removeFirst(count)
                if count > 2 { collector.queue += lost }
            } catch {
                // A killed collector forgets its ids; another one of the group gets its messages.
                if Int.random(in: 0..<3, using: &numbers) == 0 {
                    let heir = (place + 1) % 3
                    collectors[heir].queue += collector.queue
                    collector = Collector(database: MemoryDatabase(tables))
                }
            }
            collectors[place] = collector
        }
        #expect(tables.content.samples.map(\.value).sorted() == messages.indices.map(Double.init))
        #expect(tables.content.received.count == 4)
        #expect(tables.content.received.values.allSatisfy { $0.numbers.description == "1-40" && !$0.outlook.hasHoles })
        let vehicles = Dictionary(uniqueKeysWithValues: tables.content.series.map { ($0.value, $0.key.vehicle) })
        let isRight = tables.content.samples.allSatisfy { sample in
            vehicles[sample.series] == (sample.value < 80 ? "van" : sample.value < 120 ? "bus" : "copy")
        }
        #expect(isRight)
    }
}
