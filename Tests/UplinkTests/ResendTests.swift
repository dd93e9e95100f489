// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import Logging
import MQTT
import Store
import TestSupport
import Testing

@testable import Uplink

@Suite("Records that are published again", .timeLimit(.minutes(10)))
struct ResendTests {
    /// A connection that keeps what is published, and acknowledges nothing by itself.
    private final class SilentBroker: BrokerConnection {
        let events = AsyncStream<MQTTConnection.Event> { $0.finish() }
        let messages = AsyncStream<Message> { $0.finish() }
        let bytesSent = 0
        private let published = Locked<[Message]>([])

        var all: [Message] { self.published.withLock { $0 } }

        func publish(_ message: Message) throws(MQTTError) -> PacketID {
            let count = self.published.withLock {
                $0.append(message)
                return $0.count
            }
            return PacketID(rawValue: UInt16(count))
        }

        func subscribe(_ filters: [(TopicFilter, QoS)], retainAsPublished: Bool) throws(MQTTError) -> PacketID {
            throw .notConnected
        }

        func unsubscribe(_ filters: [TopicFilter]) throws(MQTTError) -> PacketID { throw .notConnected }

        func disconnect(endingSession: Bool) async {}
    }

    private let directory: TemporaryDirectory
    private let store: Store
    private let plane: RecordPlane
    private let broker = SilentBroker()

    init() async throws {
        self.directory = try TemporaryDirectory()
        self.store = Store(.init(agent: "a1b2", boot: "b", directory: self.directory.path, firstEpoch: 7))
        _ = await self.store.open(at: .zero)
        self.plane = RecordPlane(
            UplinkOptions(
                servers: [],
                username: nil,
                topicPrefix: try Topic("obd"),
                agent: "a1b2",
                boot: "b",
                batchInterval: .seconds(10),
                compressesTelemetry: false,
                storeWindow: .zero
            ),
            vehicle: "van",
            earlier: nil,
            store: self.store,
            clock: StandingClock(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    /// Publishes what may be published now; returns the packets.
    private func pump() async -> [PacketID] {
        let first = self.broker.all.count
        while let record = await self.plane.next(), await self.plane.publish(record, over: self.broker) {}
        return (first..<self.broker.all.count).map { PacketID(rawValue: UInt16($0 + 1)) }
    }

    private func acknowledge(_ packets: [PacketID]) async {
        for packet in packets { await self.plane.acknowledged(packet) }
    }

    private func request(_ from: UInt64, _ to: UInt64? = nil) throws -> ResendArguments {
        try #require(ResendArguments(.events, epoch: 7, from: from, to: to))
    }

    @Test("A record comes again unchanged with the property, one at a time, after all that is new")
    func again() async throws {
        for _ in 1...3 { _ = await self.plane.record(AgentEvent(.started)) }
        await self.acknowledge(await self.pump())
        let first = self.broker.all
        let report = try await self.plane.resend(try self.request(2))
        #expect(report.records == 2 && report.to == 3 && report.missing.isEmpty && report.last == 3)
        _ = await self.plane.record(AgentEvent(.started))
        let packets = await self.pump()
        let later = Array(self.broker.all.dropFirst(first.count))
        #expect(later.count == 2 && later[0].properties.userProperties.isEmpty)
        var plain = later[1]
        #expect(plain.properties.userProperties == [.init(name: "again", value: "1")] && plain.qos == .atLeastOnce)
        plain.properties.userProperties = []
        #expect(plain == first[1])
        await self.acknowledge(packets)
        await self.acknowledge(await self.pump())
        #expect(self.broker.all.count == first.count + 3)
        #expect(await self.pump().isEmpty)
    }

    @Test("Its acknowledgement leaves the marks of the outbox alone")
    func marks() async throws {
        for _ in 1...2 { _ = await self.plane.record(AgentEvent(.started)) }
        await self.acknowledge(await self.pump())
        let report = try await self.plane.resend(try self.request(1))
        #expect(report.records == 2)
        let before = await self.store.status
        await self.acknowledge(await self.pump())
        await self.acknowledge(await self.pump())
        #expect(await self.store.status == before)
        #expect(before.records == 0 && before.acknowledged == [.events: 2])
    }

    @Test("A lost connection repeats it, and a rejection drops it without a pause")
    func losses() async throws {
        for _ in 1...2 { _ = await self.plane.record(AgentEvent(.started)) }
        await self.acknowledge(await self.pump())
        _ = try await self.plane.resend(try self.request(1))
        #expect(await self.pump().count == 1)
        await self.plane.connectionLost()
        let repeated = await self.pump()
        #expect(repeated.count == 1)
        let messages = self.broker.all.suffix(2)
        #expect(messages.first == messages.last)
        await self.plane.rejected(repeated[0], 0x97)
        let second = await self.pump()
        #expect(second.count == 1 && self.broker.all.last != messages.last)
        await self.acknowledge(second)
        #expect(await self.pump().isEmpty)
        #expect(await self.store.takeGaps().isEmpty)
    }

    @Test("A record that was dropped meanwhile is left out")
    func dropped() async throws {
        for _ in 1...2 { _ = await self.plane.record(AgentEvent(.started)) }
        await self.acknowledge(await self.pump())
        await self.plane.save(isLast: true)
        _ = try await self.plane.resend(try self.request(1))
        let recording = try Recording(in: self.directory.path)
        _ = try recording.remove(.codes, [RecordID(epoch: 7, seq: 1)], of: "van")
        await self.acknowledge(await self.pump())
        #expect(self.broker.all.count == 3)
        #expect(self.broker.all.last.map { JSON(payload: $0.payload)["seq"] } == 2)
        #expect(try await self.plane.resend(try self.request(1)).missing == [1...1])
    }

    @Test("What was published again counts for the day, and a full queue or day tells when to ask again")
    func delay() async throws {
        #expect(self.plane.delayOfResend() == 0)
        _ = await self.plane.record(AgentEvent(.started))
        await self.acknowledge(await self.pump())
        _ = try await self.plane.resend(try self.request(1))
        await self.acknowledge(await self.pump())
        let bytes = try #require(self.broker.all.last?.payload.count)
        #expect(bytes + 20...bytes + 60 ~= self.plane.traffic.resent)
        self.plane.addResent(16 << 20)
        #expect(self.plane.delayOfResend() == 86_400)
        #expect(try await self.plane.resend(try self.request(1)).to == 0)
    }
}
