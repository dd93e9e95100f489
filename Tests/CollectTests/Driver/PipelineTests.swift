// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Testing

@testable import Collect

@Suite("What a collector holds in memory")
struct PipelineTests {
    private static func arrival(_ text: String, _ packet: UInt16?, connection: Int, size: Int) throws
        -> ArrivalQueue.Arrival
    {
        var message = Message(topic: try Topic(text), payload: [UInt8](repeating: 0, count: size))
        message.packet = packet.map(PacketID.init)
        return .init(message: message, connection: connection, time: .zero, date: Messages.now)
    }

    private static func topics(_ queue: ArrivalQueue) -> [String] {
        var queue = queue
        var topics: [String] = []
        while let next = queue.next() { topics.append(next.message.topic.description) }
        return topics
    }

    @Test("Without room, messages go that the broker sends again, and those that it never limits")
    func room() throws {
        var queue = ArrivalQueue(limit: 6000)
        queue.append(try Self.arrival("old", 1, connection: 1, size: 1000))
        queue.append(try Self.arrival("older", 2, connection: 1, size: 1000))
        queue.append(try Self.arrival("unlimited", nil, connection: 2, size: 1000))
        queue.append(try Self.arrival("kept", 1, connection: 2, size: 1000))
        queue.append(try Self.arrival("new", 2, connection: 2, size: 1000))
        #expect(Self.topics(queue) == ["older", "unlimited", "kept", "new"] && queue.dropped == 1)
        queue.append(try Self.arrival("newer", 3, connection: 2, size: 3000))
        #expect(Self.topics(queue) == ["kept", "new", "newer"] && queue.dropped == 3)
        queue.append(try Self.arrival("newest", 4, connection: 2, size: 3000))
        #expect(Self.topics(queue) == ["kept", "new", "newer", "newest"] && queue.dropped == 3)
    }

    @Test("Messages come out as they went in, however many there are")
    func queueOrder() throws {
        var queue = ArrivalQueue(limit: 1 << 30)
        var taken: [String] = []
        for number in 0..<5000 {
            queue.append(try Self.arrival("\(number)", 1, connection: 1, size: 1))
            if number % 3 == 0, let next = queue.next() { taken.append(next.message.topic.description) }
        }
        #expect(queue.count == 5000 - taken.count && queue.oldest != nil)
        #expect(taken + Self.topics(queue) == (0..<5000).map { "\($0)" })
    }

    @Test("A batch acknowledges only packets of its newest connection")
    func packets() throws {
        var decoder = try Messages.decoder()
        var open = OpenBatch()
        for (seq, packet, connection) in [(1, 7, 1), (2, 7, 2), (3, 8, 1), (4, 9, 2)] as [(UInt64, UInt16, Int)] {
            var message = try Messages.telemetry(seq)
            message.packet = PacketID(rawValue: packet)
            open.add(
                decoder.decode(message, at: Messages.now),
                .init(message: message, connection: connection, time: .zero, date: Messages.now)
            )
        }
        #expect(open.batch.records.count == 4 && open.batch.packets == [7, 9] && open.connection == 2)
    }

    @Test("The state survives its file, and the metrics have each figure")
    func status() throws {
        var status = CollectorStatus(clientID: "one", share: "all", broker: "b", database: "d", at: Messages.now)
        status.broker.since = Messages.now
        status.total.records = [.telemetry: 3, .events: 1, .responses: 0]
        (status.total.samples, status.samplesPerSecond, status.total.lost) = (40, 2.5, 4)
        (status.missing, status.incompleteStreams, status.asked) = (5, 1, 2)
        status.sharedAgents = 3
        (status.lag, status.total.delay, status.waiting) = (.milliseconds(1500), .seconds(2), 7)
        (status.rivals, status.lastRival, status.lostSessions, status.lastMessage) = (2, Messages.now, 1, Messages.now)
        status.lastError = .init(time: Messages.now, message: "no room")
        #expect(CollectorStatus(status.json) == status)
        #expect(CollectorStatus(["client_id": "one"]) == nil)
        let lines = status.metrics(at: Messages.now).split(separator: "\n")
        #expect(lines.contains("obd_collect_records_total{stream=\"telemetry\"} 3"))
        #expect(lines.contains("obd_collect_broker_connected 1") && lines.contains("obd_collect_database_connected 0"))
        #expect(lines.contains("obd_collect_lag_seconds 1.5") && lines.contains("obd_collect_delay_seconds 2.0"))
        for line in lines where !line.hasPrefix("#") {
            let name = line.prefix { $0 != " " && $0 != "{" }
            #expect(
                lines.contains { $0.hasPrefix("# TYPE \(name) ") } && lines.contains { $0.hasPrefix("# HELP \(name) ") }
            )
        }
    }
}
