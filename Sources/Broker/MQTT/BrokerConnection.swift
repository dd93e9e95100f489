// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// One connection to a broker, from CONNECT to its end: ``MQTTConnection``, or a test's.
package protocol BrokerConnection: AnyObject, Sendable {
    /// What happens to the connection, in order; to be read by one task.
    var events: AsyncStream<MQTTConnection.Event> { get }
    /// What the broker sends, until the connection ends; to be read by one task.
    var messages: AsyncStream<Message> { get }
    /// How many bytes were handed to the broker in packets, headers included, TLS and TCP excluded.
    var bytesSent: Int { get }
    /// How many received messages were dropped: too large, with a topic that is none, or unread for too long.
    var droppedMessages: Int { get }

    /// Hands a message on; of QoS 1 and 2 an acknowledgement with the same id follows.
    func publish(_ message: Message) throws(MQTTError) -> PacketID
    func subscribe(_ filters: [(TopicFilter, QoS)], retainAsPublished: Bool) throws(MQTTError) -> PacketID
    /// Ends the connection so that no will is published, within 2 seconds.
    func disconnect(endingSession: Bool) async
}

extension BrokerConnection {
    package var droppedMessages: Int { 0 }
}

extension MQTTConnection: BrokerConnection {}
