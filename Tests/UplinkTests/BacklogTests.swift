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

@Suite("A backlog", .timeLimit(.minutes(10)))
struct BacklogTests {
    /// A broker that acknowledges at once.
    private final class PromptBroker: BrokerConnection {
        let events: AsyncStream<MQTTConnection.Event>
        let messages: AsyncStream<Message>
        let bytesSent = 0
        private let continuation: AsyncStream<MQTTConnection.Event>.Continuation
        private let messageContinuation: AsyncStream<Message>.Continuation
        private let published = Locked(0)

        init() {
            (self.events, self.continuation) = AsyncStream.makeStream()
            (self.messages, self.messageContinuation) = AsyncStream.makeStream()
            self.continuation.yield(.connected(sessionPresent: false))
        }

        var count: Int { self.published.withLock { $0 } }

        func publish(_ message: Message) throws(MQTTError) -> PacketID {
            let id = self.published.withLock { count in
                count += 1
                return PacketID(rawValue: UInt16(truncatingIfNeeded: count))
            }
            if message.qos == .atLeastOnce { self.continuation.yield(.acknowledged(id)) }
            return id
        }

        func subscribe(_ filters: [(TopicFilter, QoS)], retainAsPublished: Bool) throws(MQTTError) -> PacketID {
            PacketID(rawValue: 0)
        }

        func unsubscribe(_ filters: [TopicFilter]) throws(MQTTError) -> PacketID { throw .notConnected }

        func disconnect(endingSession: Bool) async {
            self.continuation.finish()
            self.messageContinuation.finish()
        }
    }

    /// A clock that stands still: no tick ever publishes anything.
    private struct StandingClock: CalendarClock {
        let now = MonotonicTime.zero
        let quality = ClockQuality.synchronised
        /// Receives the deadline of each wait.
        var waits: AsyncStream<MonotonicTime>.Continuation?

        func sleep(until deadline: MonotonicTime) async throws {
            self.waits?.yield(deadline)
            let (never, continuation) = AsyncStream.makeStream(of: Void.self)
            for await _ in never {}
            withExtendedLifetime(continuation) {}
            try Task.checkCancellation()
        }
        func timestamp(of time: MonotonicTime) -> Timestamp { Timestamp(milliseconds: 0) + time.sinceBoot }
    }

    private static func waitUntilEmpty(_ store: Store) async throws {
        try await within("the end of the backlog") {
            while await store.status.records > 0 {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    private static func options() throws -> UplinkOptions {
        UplinkOptions(
            servers: [Server(host: "127.0.0.1", port: 1)],
            username: nil,
            topicPrefix: try Topic("obd"),
            agent: "a1b2",
            boot: "b",
            batchInterval: .seconds(10),
            compressesTelemetry: false,
            storeWindow: .seconds(10)
        )
    }

    @Test("A process that follows a crash records for half a minute before it connects")
    func recordsFirst() async throws {
        let (waits, waited) = AsyncStream.makeStream(of: MonotonicTime.self)
        let (connects, connected) = AsyncStream.makeStream(of: Void.self)
        let count = Locked(0)
        var options = try Self.options()
        options.followsCrash = true
        let store = Store(.init(agent: "a1b2", boot: "b", firstEpoch: 1))
        let uplink = try Uplink(
            options,
            vehicle: "van",
            store: store,
            clock: StandingClock(waits: waited),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            connect: { _ throws(MQTTError) in
                count.withLock { $0 += 1 }
                connected.yield()
                return PromptBroker()
            }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await uplink.run() }
            _ = try await waits.next("the wait") { $0.sinceBoot == Uplink.recordingTime }
            await uplink.record(AgentEvent(.started))
            #expect(await store.status.records == 1)
            #expect(count.withLock { $0 } == 0)
            await uplink.reconnect()
            _ = try await connects.next("a connection")
            group.cancelAll()
        }
        await uplink.finish()
    }

    @Test("A whole backlog is published without a tick: each acknowledgement makes room for the next record")
    func allGoes() async throws {
        let broker = PromptBroker()
        let store = Store(.init(agent: "a1b2", boot: "b", firstEpoch: 1))
        let uplink = try Uplink(
            Self.options(),
            vehicle: "van",
            store: store,
            clock: StandingClock(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            connect: { _ throws(MQTTError) in broker }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await uplink.run() }
            await uplink.record(AgentEvent(.started))
            try await Self.waitUntilEmpty(store)
            let body = Array(#"{"event":"started"}"#.utf8)
            for _ in 0..<1000 {
                await store.append(body, to: .events, at: .zero, destination: .init(vehicle: "van"))
            }
            await uplink.record(AgentEvent(.started))
            try await Self.waitUntilEmpty(store)
            #expect(broker.count > 1000)
            group.cancelAll()
        }
        await uplink.finish()
    }
}
