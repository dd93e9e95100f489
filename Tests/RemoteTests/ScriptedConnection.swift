// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import MQTT

/// A connection whose events follow a script.
final class ScriptedConnection: BrokerConnection {
    /// The events at the start and after each publication.
    struct Script: Sendable {
        var onStart: [MQTTConnection.Event] = [.connected(sessionPresent: false)]
        var onPublish: [MQTTConnection.Event] = []
        /// The payloads that arrive on `obd/van/responses` after each publication.
        var answers: [String] = []
        /// The payloads that arrive on `obd/van/status` at the end of the subscription, after the broker's answer to it.
        var overtaken: [String] = []
    }

    let events: AsyncStream<MQTTConnection.Event>
    let messages: AsyncStream<Message>
    let bytesSent = 0
    private let script: Script
    private let eventContinuation: AsyncStream<MQTTConnection.Event>.Continuation
    private let messageContinuation: AsyncStream<Message>.Continuation
    let published = Locked<[Message]>([])
    let isDisconnected = Locked(false)
    let retainsAsPublished = Locked(true)

    init(_ script: Script) {
        self.script = script
        (self.events, self.eventContinuation) = AsyncStream.makeStream()
        (self.messages, self.messageContinuation) = AsyncStream.makeStream()
        for event in script.onStart { self.eventContinuation.yield(event) }
    }

    func publish(_ message: Message) throws(MQTTError) -> PacketID {
        self.published.withLock { $0.append(message) }
        for answer in self.script.answers {
            guard let topic = try? Topic("obd/van/responses") else { continue }
            self.messageContinuation.yield(Message(topic: topic, payload: Array(answer.utf8)))
        }
        for event in self.script.onPublish { self.eventContinuation.yield(event) }
        return PacketID(rawValue: 1)
    }

    func subscribe(_ filters: [(TopicFilter, QoS)], retainAsPublished: Bool) throws(MQTTError) -> PacketID {
        self.retainsAsPublished.withLock { $0 = retainAsPublished }
        self.eventContinuation.yield(.subscribed(PacketID(rawValue: 1), filters.map { .granted($0.1) }))
        return PacketID(rawValue: 1)
    }

    func unsubscribe(_ filters: [TopicFilter]) throws(MQTTError) -> PacketID {
        self.eventContinuation.yield(.unsubscribed(PacketID(rawValue: 2), after: self.script.overtaken.count))
        for payload in self.script.overtaken {
            guard let topic = try? Topic("obd/van/status") else { continue }
            self.messageContinuation.yield(Message(topic: topic, payload: Array(payload.utf8)))
        }
        return PacketID(rawValue: 2)
    }

    func disconnect(endingSession: Bool) async {
        self.isDisconnected.withLock { $0 = true }
        self.eventContinuation.yield(.disconnected(.closed))
        self.eventContinuation.finish()
        self.messageContinuation.finish()
    }
}
