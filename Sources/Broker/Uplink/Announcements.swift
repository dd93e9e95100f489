// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Logging
import MQTT
package import Base

/// What is said outside of the vehicle's own topics, and which of it the broker has.
struct Announcements: Sendable {
    private var waiting: Set<PacketID> = []
    private var rejection: UInt8?
    /// The packet that asks for ``UplinkOptions/listensTo``.
    var subscription: PacketID?

    func contains(_ packet: PacketID) -> Bool { self.waiting.contains(packet) }

    mutating func sent(_ packet: PacketID) { self.waiting.insert(packet) }

    /// The broker has it, or does not want it: a reason code.
    ///
    /// - Returns: what has become of all that was sent, if this was the last of it.
    mutating func settled(_ packet: PacketID, _ code: UInt8?) -> Uplink.AnnouncementEvent? {
        self.waiting.remove(packet)
        self.rejection = self.rejection ?? code
        guard self.waiting.isEmpty else { return nil }
        defer { self.rejection = nil }
        return .settled(rejection: self.rejection)
    }

    /// The connection is no more.
    mutating func lost() -> Uplink.AnnouncementEvent {
        defer { self = Announcements() }
        return .disconnected(isUnsettled: !self.waiting.isEmpty || self.subscription != nil)
    }
}

// Announcements go to whoever shows vehicles. They are neither live values nor records.
extension Uplink {
    /// What those who announce should know.
    package enum AnnouncementEvent: Hashable, Sendable {
        /// A broker is there; whether it still knows this agent.
        case connected(isKnown: Bool)
        /// A message came on ``UplinkOptions/listensTo``.
        case heard(Message)
        /// The broker has all that was announced, or does not want some of it: a reason code (MQTT 5, section 3.4.2.1).
        case settled(rejection: UInt8?)
        /// The connection is gone, perhaps with announcements that the broker does not have.
        case disconnected(isUnsettled: Bool)
    }

    /// Publishes announcements.
    ///
    /// - Returns: why not all of them went out; nil where they did.
    package func announce(_ messages: [Message]) -> String? {
        guard let connection = self.connection, self.isConnected else { return "there is no connection" }
        do {
            for message in messages { self.announcements.sent(try connection.publish(message)) }
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Asks for what those who announce want to hear.
    func listen(over connection: any BrokerConnection) {
        guard let filter = self.options.listensTo else { return }
        self.announcements.subscription = try? connection.subscribe([(filter, .atMostOnce)], retainAsPublished: true)
    }

    /// The broker has answered a subscription.
    ///
    /// - Returns: whether it was that of ``listen(over:)``.
    func announcementsSubscribed(_ packet: PacketID, isRefused: Bool) -> Bool {
        guard packet == self.announcements.subscription else { return false }
        self.announcements.subscription = nil
        if isRefused {
            self.logger.notice("The broker refuses the topic \(self.options.listensTo?.description ?? "")")
        }
        return true
    }

    /// The broker has a message, or does not want it.
    ///
    /// - Returns: whether it was an announcement.
    func announcementSettled(_ packet: PacketID, _ code: UInt8? = nil) -> Bool {
        guard self.announcements.contains(packet) else { return false }
        if let event = self.announcements.settled(packet, code) { self.announcementContinuation.yield(event) }
        return true
    }
}
