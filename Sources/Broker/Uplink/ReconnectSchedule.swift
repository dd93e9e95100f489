// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import MQTT

/// The waits between connections to the broker.
struct ReconnectSchedule: Sendable {
    /// A sign that another client uses the client id: the broker ends one connection when the other is made.
    enum Rival: Hashable, Sendable {
        /// The broker has sent the reason code "session taken over" (MQTT 5, section 3.14.2.1).
        case certain
        /// Several connections have ended right after they were made.
        ///
        /// MQTT 3.1.1 has no reason codes.
        case suspected
    }

    /// The reason code "session taken over".
    static let takenOver: UInt8 = 0x8E
    /// The lifetime from which a connection counts as not taken over.
    static let shortLifetime = Duration.seconds(5)
    /// The number of shorter connections in a row from which a rival is suspected.
    static let shortLimit = 5
    /// The lifetime from which a connection has no rival.
    ///
    /// An agent that was taken over waits for less.
    static let unrivaledLifetime = Duration.seconds(3600)
    /// The shortest wait if an early retry is in vain or does harm.
    static let slowWait = Duration.seconds(30)

    private var backoff = Backoff(first: .seconds(1), limit: .seconds(60))
    private var refusalBackoff = Backoff(first: .seconds(120), limit: .seconds(900))
    private var rivalBackoff = Backoff(first: .seconds(120), limit: .seconds(900))
    private var shortConnections = 0
    /// The sign of another client with the same client id; nil without one.
    private(set) var rival: Rival?

    /// Returns the wait after a connection that has ended, or was not made.
    ///
    /// - Parameter lifetime: the time from the broker's acceptance to the end; nil if the broker did not accept it.
    mutating func wait(after failure: MQTTError, lifetime: Duration?) -> Duration {
        guard let lifetime else {
            return failure.needsHuman ? Self.slowWait + self.refusalBackoff.next() : self.backoff.next()
        }
        self.backoff.reset()
        self.refusalBackoff.reset()
        if lifetime >= Self.unrivaledLifetime {
            self.rival = nil
            self.rivalBackoff.reset()
        }
        self.shortConnections = lifetime < Self.shortLifetime ? self.shortConnections + 1 : 0
        if case .closedByBroker(Self.takenOver, _) = failure {
            self.rival = .certain
        } else if self.shortConnections >= Self.shortLimit {
            self.rival = self.rival ?? .suspected
        } else {
            return self.backoff.next()
        }
        return Self.slowWait + self.rivalBackoff.next()
    }
}
