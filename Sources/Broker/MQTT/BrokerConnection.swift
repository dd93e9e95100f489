// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A connection to a broker, from CONNECT to its end: ``MQTTConnection``, or a scripted one in tests.
package protocol BrokerConnection: AnyObject, Sendable {
    /// The events of the connection, in order; only one task may read them.
    var events: AsyncStream<MQTTConnection.Event> { get }
    /// The messages from the broker, until the connection ends; only one task may read them.
    var messages: AsyncStream<Message> { get }
    /// The number of bytes sent in MQTT packets, headers included, TLS and TCP excluded.
    var bytesSent: Int { get }
    /// The number of received messages that were dropped: too large, with an invalid topic, or over the receive limit.
    var droppedMessages: Int { get }

    /// Queues a message; for QoS 1 and 2 an acknowledgement with the same id follows.
    func publish(_ message: Message) throws(MQTTError) -> PacketID
    /// Subscribes to `filters` in one packet.
    func subscribe(_ filters: [(TopicFilter, QoS)], retainAsPublished: Bool) throws(MQTTError) -> PacketID
    /// Ends the subscriptions to `filters`; ``MQTTConnection/Event/unsubscribed(_:after:)`` follows.
    func unsubscribe(_ filters: [TopicFilter]) throws(MQTTError) -> PacketID
    /// Acknowledges received messages of QoS 1, if the connection holds acknowledgements.
    func acknowledge(_ packets: [PacketID])
    /// Ends the connection within 2 seconds, in a way that the broker does not publish the will.
    func disconnect(endingSession: Bool) async
}

extension BrokerConnection {
    package var droppedMessages: Int { 0 }

    package func acknowledge(_ packets: [PacketID]) {}
}

extension MQTTConnection: BrokerConnection {}
