// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Logging
import MQTT

extension Uplink {
    /// An event for the announcer.
    package enum AnnouncementEvent: Hashable, Sendable {
        /// The broker has accepted a connection; the flag is false if it knows nothing of this client.
        case connected(isSessionPresent: Bool)
        /// A message has arrived on ``UplinkOptions/announcementFilter``.
        case messageReceived(Message)
        /// The broker has answered all announcements.
        ///
        /// `rejection` is the reason code of the first rejected one (MQTT 5, section 3.4.2.1); nil if none was
        ///   rejected.
        case allAnswered(rejection: UInt8?)
        /// The connection is lost; the flag is true if the broker had not answered all announcements.
        case disconnected(isUnanswered: Bool)
    }

    /// Publishes announcements.
    ///
    /// - Returns: the reason why not all of them were published; nil if they were.
    package func announce(_ messages: [Message]) -> String? {
        guard let connection = self.link.openConnection else { return "there is no connection" }
        do {
            for message in messages { self.announcements.published(try connection.publish(message)) }
            return nil
        } catch {
            return "\(error)"
        }
    }
}

/// The messages outside the vehicle's own topics, which describe the vehicle to other programs.
///
/// They are neither live values nor records: the announcer publishes them again where that is necessary.
struct Announcements: Sendable {
    private let filter: TopicFilter?
    private let continuation: AsyncStream<Uplink.AnnouncementEvent>.Continuation
    /// The published packets that the broker has not answered.
    private var waiting: Set<PacketID> = []
    /// The reason code of the first rejected packet since the last event `.allAnswered`.
    private var rejection: UInt8?
    /// The unanswered SUBSCRIBE packet for ``filter``.
    private var subscription: PacketID?

    /// - Parameters:
    ///   - filter: the topics that the announcer wants to read; nil: none.
    ///   - continuation: receives the events.
    init(filter: TopicFilter?, _ continuation: AsyncStream<Uplink.AnnouncementEvent>.Continuation) {
        self.filter = filter
        self.continuation = continuation
    }

    /// Subscribes to ``filter`` over a new connection.
    mutating func connected(over connection: any BrokerConnection, isSessionPresent: Bool) {
        if let filter = self.filter {
            self.subscription = try? connection.subscribe([(filter, .atMostOnce)], retainAsPublished: true)
        }
        self.continuation.yield(.connected(isSessionPresent: isSessionPresent))
    }

    /// Takes a received message if it is for the announcer.
    ///
    /// - Returns: whether it is.
    func received(_ message: Message) -> Bool {
        guard self.filter?.matches(message.topic) == true else { return false }
        self.continuation.yield(.messageReceived(message))
        return true
    }

    /// The broker has answered a SUBSCRIBE packet.
    ///
    /// - Returns: whether the packet was that for ``filter``.
    mutating func subscribed(_ packet: PacketID) -> Bool {
        guard packet == self.subscription else { return false }
        self.subscription = nil
        return true
    }

    mutating func published(_ packet: PacketID) { self.waiting.insert(packet) }

    /// The broker has acknowledged a packet, or rejected it with a reason code.
    ///
    /// - Returns: whether the packet was an announcement.
    mutating func answered(_ packet: PacketID, rejection: UInt8? = nil) -> Bool {
        guard self.waiting.remove(packet) != nil else { return false }
        self.rejection = self.rejection ?? rejection
        if self.waiting.isEmpty { self.continuation.yield(.allAnswered(rejection: self.rejection.take())) }
        return true
    }

    mutating func connectionLost() {
        self.continuation.yield(.disconnected(isUnanswered: !self.waiting.isEmpty || self.subscription != nil))
        (self.waiting, self.rejection, self.subscription) = ([], nil, nil)
    }

    /// Ends the events.
    func finish() { self.continuation.finish() }
}
