// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import MQTT

/// A connection to a broker that a test plays.
final class PlayedConnection: BrokerConnection {
    let events: AsyncStream<MQTTConnection.Event>
    let messages: AsyncStream<Message>
    let bytesSent = 0
    private let eventContinuation: AsyncStream<MQTTConnection.Event>.Continuation
    private let messageContinuation: AsyncStream<Message>.Continuation
    let acknowledged = Locked<[UInt16]>([])
    let filters = Locked<[String]>([])
    /// Whether the session was ended; nil while the connection is open.
    let endedSession = Locked<Bool?>(nil)

    init() {
        (self.events, self.eventContinuation) = AsyncStream.makeStream()
        (self.messages, self.messageContinuation) = AsyncStream.makeStream()
        self.eventContinuation.yield(.connected(sessionPresent: false))
    }

    /// Delivers a message; without a packet, one of QoS 0.
    func deliver(_ message: Message, as packet: UInt16?) {
        var message = message
        message.packet = packet.map(PacketID.init)
        self.messageContinuation.yield(message)
    }

    func lose() { self.end(.connectionLost("the cable")) }

    func end(_ error: MQTTError) { self.eventContinuation.yield(.disconnected(error)) }

    func publish(_ message: Message) throws(MQTTError) -> PacketID { PacketID(rawValue: 1) }

    func subscribe(_ filters: [(TopicFilter, QoS)], retainAsPublished: Bool) throws(MQTTError) -> PacketID {
        self.filters.withLock { $0 = filters.map(\.0.description) }
        self.eventContinuation.yield(.subscribed(PacketID(rawValue: 1), filters.map { .granted($0.1) }))
        return PacketID(rawValue: 1)
    }

    func unsubscribe(_ filters: [TopicFilter]) throws(MQTTError) -> PacketID { throw .notConnected }

    func acknowledge(_ packets: [PacketID]) { self.acknowledged.withLock { $0 += packets.map(\.rawValue) } }

    func disconnect(endingSession: Bool) async {
        self.endedSession.withLock { $0 = endingSession }
        self.eventContinuation.yield(.disconnected(.closed))
        self.eventContinuation.finish()
        self.messageContinuation.finish()
    }
}
