// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import MQTT

/// A connection to a ``ScriptedBroker`` that behaves like `MQTTConnection`.
final class ScriptedConnection: BrokerConnection {
    private struct State: Sendable {
        var isConnected = false
        var isEnded = false
        var lastID: UInt16 = 0
        var open: Set<PacketID> = []
        var bytes = 0
    }

    let events: AsyncStream<MQTTConnection.Event>
    let messages: AsyncStream<Message>
    private let eventContinuation: AsyncStream<MQTTConnection.Event>.Continuation
    private let messageContinuation: AsyncStream<Message>.Continuation
    private let broker: ScriptedBroker
    private let options: ConnectionOptions
    /// Whether the process of the connection was killed, so that no packet passes any more.
    private let isCut: @Sendable () -> Bool
    private let state = Locked(State())

    init(_ broker: ScriptedBroker, _ options: ConnectionOptions, isCut: @escaping @Sendable () -> Bool) {
        self.broker = broker
        self.options = options
        self.isCut = isCut
        (self.events, self.eventContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4096))
        (self.messages, self.messageContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(256))
    }

    var bytesSent: Int { self.state.withLock { $0.bytes } }
    var isEnded: Bool { self.state.withLock { $0.isEnded } }

    func publish(_ message: Message) throws(MQTTError) -> PacketID {
        let result = self.state.withLock { state -> Result<PacketID, MQTTError> in
            guard state.isConnected, !state.isEnded, !self.isCut() else { return .failure(.notConnected) }
            guard state.open.count < MQTTConnection.queueLimit else { return .failure(.queueFull) }
            state.lastID = state.lastID == .max ? 1 : state.lastID + 1
            let id = PacketID(rawValue: state.lastID)
            if message.qos != .atMostOnce { state.open.insert(id) }
            state.bytes += PacketSize.publish(message, .v5)
            return .success(id)
        }
        let id = try result.get()
        self.broker.published(message, id: id, over: self)
        return id
    }

    func subscribe(_ filters: [(TopicFilter, QoS)], retainAsPublished: Bool) throws(MQTTError) -> PacketID {
        guard self.state.withLock({ $0.isConnected && !$0.isEnded }), !self.isCut() else { throw .notConnected }
        let id = PacketID(rawValue: 0xFFFF)
        self.eventContinuation.yield(.subscribed(id, filters.map { .granted($0.1) }))
        return id
    }

    func unsubscribe(_ filters: [TopicFilter]) throws(MQTTError) -> PacketID { throw .notConnected }

    func disconnect(endingSession: Bool) async {
        let deadline = self.broker.time.now + .seconds(2)
        while self.state.withLock({ !$0.isEnded && !$0.open.isEmpty }), self.broker.time.now < deadline {
            // A task of its own also sleeps if the caller's task was cancelled.
            await Task(executorPreference: self.broker.time) {
                await self.broker.time.sleep(for: .milliseconds(10))
            }.value
        }
        self.end(.closed, isOrderly: true)
    }

    // MARK: - For the broker

    func accepted(sessionPresent: Bool) {
        let isOpen = self.state.withLock { state in
            state.isConnected = !state.isEnded
            return state.isConnected
        }
        if isOpen { self.eventContinuation.yield(.connected(sessionPresent: sessionPresent)) }
    }

    func deliver(_ message: Message) {
        if !self.isEnded, !self.isCut() { self.messageContinuation.yield(message) }
    }

    func acknowledged(_ id: PacketID) {
        let isOpen = self.state.withLock { state in !state.isEnded && state.open.remove(id) != nil }
        if isOpen, !self.isCut() { self.eventContinuation.yield(.acknowledged(id)) }
    }

    func rejected(_ id: PacketID) {
        let isOpen = self.state.withLock { state in !state.isEnded && state.open.remove(id) != nil }
        if isOpen, !self.isCut() { self.eventContinuation.yield(.rejected(id, code: 0x87)) }
    }

    func end(_ error: MQTTError, isOrderly: Bool = false) {
        let wasOpen = self.state.withLock { state in
            defer { state.isEnded = true }
            return !state.isEnded
        }
        guard wasOpen else { return }
        self.broker.ended(self, will: isOrderly && !self.isCut() ? nil : self.options.will)
        self.eventContinuation.yield(.disconnected(error))
        self.eventContinuation.finish()
        self.messageContinuation.finish()
    }
}
