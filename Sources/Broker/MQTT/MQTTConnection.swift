// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A connection to a broker, from CONNECT to its end.
///
/// A lost connection is never reopened: the caller creates a new one, so no packet of the old one is sent again.
/// Releasing the last reference drops the connection without a DISCONNECT, and the broker publishes the will.
///
/// libmosquitto runs on a thread that belongs to the connection. No method blocks on the network.
package final class MQTTConnection: Sendable {
    /// The events of a connection.
    package enum Event: Hashable, Sendable {
        /// The broker accepted the connection; `sessionPresent` tells whether it had kept the session.
        case connected(sessionPresent: Bool)
        /// The broker acknowledged a message of QoS 1 or 2.
        case acknowledged(PacketID)
        /// The broker rejected a message of QoS 1 or 2 with a reason code of MQTT 5, section 3.4.2.1.
        case rejected(PacketID, code: UInt8)
        /// The broker answered a subscription, with one grant for each filter.
        case subscribed(PacketID, [Grant])
        /// The broker answered ``MQTTConnection/unsubscribe(_:)``, after this number of messages in
        /// ``MQTTConnection/messages``.
        case unsubscribed(PacketID, after: Int)
        /// The connection ended. This is always the last event.
        case disconnected(MQTTError)
    }

    /// The broker's answer to one filter of a subscription.
    package enum Grant: Hashable, Sendable {
        case granted(QoS)
        /// A reason code of MQTT 5, section 3.9.3; 0x80 from a 3.1.1 broker.
        case refused(code: UInt8)
    }

    /// The default for the largest accepted packet, in bytes: 320 KiB.
    package static let packetLimit = 327_680

    /// The number of published messages that may wait for the broker.
    package static let queueLimit = 1024

    /// The default for the number of received messages that may wait in ``messages``.
    package static let receiveLimit = 256

    /// The events of the connection, in order; only one task may read them.
    ///
    /// At most 4,096 events wait here. If more are unread, the connection ends, so that a connected client never misses
    /// an acknowledgement.
    package let events: AsyncStream<Event>

    /// The messages from the broker, until the connection ends; only one task may read them.
    package let messages: AsyncStream<Message>

    private let loop: ConnectionLoop

    /// Starts to connect and returns at once; ``events`` has the outcome.
    package init(_ options: ConnectionOptions) throws(MQTTError) {
        let (events, eventContinuation) = AsyncStream.makeStream(
            of: Event.self,
            bufferingPolicy: .bufferingNewest(4096)
        )
        let (messages, messageContinuation) = AsyncStream.makeStream(
            of: Message.self,
            bufferingPolicy: .bufferingOldest(max(1, options.receiveLimit))
        )
        self.events = events
        self.messages = messages
        self.loop = try ConnectionLoop(options, events: eventContinuation, messages: messageContinuation)
        try self.loop.start()
    }

    deinit {
        self.loop.drop()
    }

    /// The number of received messages that were dropped: too large, with an invalid topic, or over the receive limit.
    package var droppedMessages: Int { self.loop.droppedMessages }

    /// The number of bytes sent in MQTT packets, headers included, TLS and TCP excluded.
    ///
    /// A message counts when ``publish(_:)`` accepts it, so a message that is cut off while it is sent counts too.
    package var bytesSent: Int { self.loop.bytesSent }

    /// Queues a message for the broker.
    ///
    /// For QoS 1 and 2 an event ``Event/acknowledged(_:)`` or ``Event/rejected(_:code:)`` with the same id follows. For
    /// QoS 0 the id has no meaning.
    ///
    /// - Throws: ``MQTTError/notConnected``, ``MQTTError/queueFull``, ``MQTTError/tooLarge``,
    ///   ``MQTTError/invalid(_:)``; then the message is never sent.
    package func publish(_ message: Message) throws(MQTTError) -> PacketID {
        try self.loop.publish(message)
    }

    /// Subscribes to `filters` in one packet.
    ///
    /// libmosquitto supports one QoS for each SUBSCRIBE, so all filters get the highest QoS of the list.
    ///
    /// - Parameter retainAsPublished: whether a message that is forwarded at once keeps its retain flag; MQTT 5 only.
    package func subscribe(
        _ filters: [(TopicFilter, QoS)],
        retainAsPublished: Bool
    ) throws(MQTTError) -> PacketID {
        try self.loop.subscribe(filters, retainAsPublished: retainAsPublished)
    }

    /// Ends the subscriptions to `filters` in one packet.
    ///
    /// ``Event/unsubscribed(_:after:)`` follows all that the broker had sent before.
    package func unsubscribe(_ filters: [TopicFilter]) throws(MQTTError) -> PacketID {
        try self.loop.unsubscribe(filters)
    }

    /// Acknowledges received messages of QoS 1, if ``ConnectionOptions/holdsAcknowledgements``.
    ///
    /// The broker sends each message again, on a later connection, that is not acknowledged when this one ends.
    package func acknowledge(_ packets: [PacketID]) { self.loop.acknowledge(packets) }

    /// Ends the connection with a DISCONNECT, so that the broker does not publish the will.
    ///
    /// The method waits up to 2 seconds until the broker has acknowledged all published messages and has closed the
    /// connection. It returns after the last event of ``events``.
    ///
    /// - Parameter endingSession: whether the broker drops the session now. MQTT 5 only; with MQTT 3.1.1, connect once
    ///   more with a clean start.
    package func disconnect(endingSession: Bool = false) async {
        await self.loop.disconnect(endingSession: endingSession)
    }
}
