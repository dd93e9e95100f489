// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import MQTT
import Base

/// The waits between one connection to the broker and the next.
struct ReconnectSchedule: Sendable {
    /// A sign that another client uses the client id: the broker ends one connection when the other is made.
    enum Rival: Hashable, Sendable {
        /// The broker has said so (MQTT 5, section 3.14.2.1).
        case certain
        /// Connections end right after they are made. MQTT 3.1.1 has no way to say why.
        case suspected
    }

    /// The reason code "session taken over".
    static let takenOver: UInt8 = 0x8E
    /// The time for which a connection stands that nobody takes over at once.
    static let shortest = Duration.seconds(5)
    /// The number of shorter connections in a row that is a sign of a rival.
    static let shortLimit = 5
    /// The time after which a connection has no rival: longer than an agent waits that was taken over.
    static let settled = Duration.seconds(3600)
    /// The shortest wait where trying soon is in vain, or does harm.
    static let slowest = Duration.seconds(30)

    private var backoff = Backoff(first: .seconds(1), limit: .seconds(60))
    private var refused = Backoff(first: .seconds(120), limit: .seconds(900))
    private var rivalled = Backoff(first: .seconds(120), limit: .seconds(900))
    private var shortConnections = 0
    /// Another client with the same client id, if there is a sign of one.
    private(set) var rival: Rival?

    /// Returns the wait after a connection that has ended, or was not made.
    ///
    /// - Parameter stood: the time from the broker's acceptance to the end; nil if the broker did not accept it.
    mutating func wait(after failure: MQTTError, stood: Duration?) -> Duration {
        guard let stood else { return failure.needsHuman ? Self.slowest + self.refused.next() : self.backoff.next() }
        self.backoff.reset()
        self.refused.reset()
        if stood >= Self.settled {
            self.rival = nil
            self.rivalled.reset()
        }
        self.shortConnections = stood < Self.shortest ? self.shortConnections + 1 : 0
        if case .closedByBroker(Self.takenOver, _) = failure {
            self.rival = .certain
        } else if self.shortConnections >= Self.shortLimit {
            self.rival = self.rival ?? .suspected
        } else {
            return self.backoff.next()
        }
        return Self.slowest + self.rivalled.next()
    }
}
