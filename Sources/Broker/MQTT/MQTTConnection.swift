// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// Names a PUBLISH or SUBSCRIBE packet until it is acknowledged (MQTT 5, section 2.2.1).
package struct PacketID: Hashable, Sendable {
    package var rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }
}

/// One connection to a broker, from CONNECT to its end.
///
/// A lost connection is followed by a new one, never reopened, so that nothing of the old one is ever sent again.
/// Releasing the last reference drops the connection without a DISCONNECT: the broker publishes the will.
///
/// All of the library's work is done on a thread of the connection's own; no call here waits for the network.
package final class MQTTConnection: Sendable {
    /// What happens to a connection.
    package enum Event: Hashable, Sendable {
        /// The broker accepted; `sessionPresent`: it still had the session of before.
        case connected(sessionPresent: Bool)
        /// The broker has a message of QoS 1 or 2.
        case acknowledged(PacketID)
        /// The broker does not want a message of QoS 1 or 2 (MQTT 5 only): a reason code of section 3.4.2.1.
        case rejected(PacketID, code: UInt8)
        /// The broker answered a subscription, filter by filter.
        case subscribed(PacketID, [Grant])
        /// The connection is no more. Always the last event.
        case disconnected(MQTTError)
    }

    /// What became of one filter of a subscription.
    package enum Grant: Hashable, Sendable {
        case granted(QoS)
        /// A reason code of MQTT 5, section 3.9.3; 0x80 from a 3.1.1 broker.
        case refused(code: UInt8)
    }

    /// The largest packet that is received, in bytes, unless the options say otherwise: 320 KiB.
    package static let packetLimit = 327_680

    /// How many published messages may wait for the broker.
    package static let queueLimit = 1024

    /// How many received messages may wait for ``messages`` to be read, unless the options say otherwise.
    package static let receiveLimit = 256

    /// What happens to the connection, in order; to be read by one task.
    ///
    /// At most 4,096 wait here. An acknowledgement is never lost on a connection that lives on: if that many are left
    /// unread, the connection is given up.
    package let events: AsyncStream<Event>

    /// What the broker sends, until the connection ends; to be read by one task.
    package let messages: AsyncStream<Message>

    private let loop: ConnectionLoop

    /// Begins to connect, and returns at once; ``events`` tells the outcome.
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

    /// How many received messages were dropped: too large, with a topic that is none, or unread for too long.
    package var droppedMessages: Int { self.loop.droppedMessages }

    /// How many bytes were handed to the broker in packets, headers included, TLS and TCP excluded.
    ///
    /// A message counts when it is taken, so that what was cut off on its way out counts as well.
    package var bytesSent: Int { self.loop.bytesSent }

    /// Hands a message to the library.
    ///
    /// QoS 1 and 2: an event ``Event/acknowledged(_:)`` with the same id follows. QoS 0: the id means nothing.
    ///
    /// - Throws: ``MQTTError/notConnected``, ``MQTTError/queueFull``, ``MQTTError/tooLarge``, ``MQTTError/invalid(_:)``;
    ///   the message is then not sent, now or later.
    package func publish(_ message: Message) throws(MQTTError) -> PacketID {
        try self.loop.publish(message)
    }

    /// Subscribes to `filters` in one packet.
    ///
    /// libmosquitto knows one QoS for a SUBSCRIBE, so the highest of the list is asked for all of it.
    ///
    /// - Parameter retainAsPublished: also a message that is forwarded at once keeps its retain flag; MQTT 5 only.
    package func subscribe(
        _ filters: [(TopicFilter, QoS)],
        retainAsPublished: Bool
    ) throws(MQTTError) -> PacketID {
        try self.loop.subscribe(filters, retainAsPublished: retainAsPublished)
    }

    /// Ends the connection with a DISCONNECT, so that no will is published.
    ///
    /// Waits, for 2 seconds at most, until the broker has acknowledged what was published before and has closed its end.
    /// Returns when ``events`` has got its last event.
    ///
    /// - Parameter endingSession: the broker shall forget the session now (MQTT 5 only; on 3.1.1 connect once more
    ///   with a clean start).
    package func disconnect(endingSession: Bool = false) async {
        await self.loop.disconnect(endingSession: endingSession)
    }
}
