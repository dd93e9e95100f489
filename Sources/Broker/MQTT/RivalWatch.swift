// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// Finds out that another client has this client id: the broker ends one connection when the other is made.
///
/// Two such clients would end each other's connections for ever, several times a second, so each waits.
package struct RivalWatch: Sendable {
    /// A sign of another client with the same client id.
    package enum Sign: Hashable, Sendable {
        /// The broker has sent the reason code "session taken over" (MQTT 5, section 3.14.2.1).
        case certain
        /// Several connections have ended right after they were made.
        case suspected
    }

    /// The lifetime from which a connection has no rival.
    ///
    /// A client that was taken over waits for less.
    package static let unrivaledLifetime = Duration.seconds(3600)
    /// The shortest wait if an early retry is in vain or does harm.
    package static let slowWait = Duration.seconds(30)
    /// The reason code "session taken over".
    package static let takenOver: UInt8 = 0x8E
    /// The lifetime from which a connection counts as not taken over.
    private static let shortLifetime = Duration.seconds(5)

    /// Returns the number of shorter connections in a row from which a rival is suspected.
    ///
    /// A broker that restarts a few times makes them too. MQTT 3.1.1 has no reason codes that would tell; with MQTT 5, a
    /// broker that ends a connection for another one mostly says so.
    static func shortLimit(_ version: ProtocolVersion) -> Int { version == .v311 ? 5 : 20 }

    private var backoff = Backoff(first: .seconds(120), limit: .seconds(900))
    private var shortConnections = 0
    /// The sign that was found last; nil without one, and after a connection without a rival.
    package private(set) var sign: Sign?

    package init() {}

    /// Returns the wait after a connection that a rival has probably ended; nil if none has.
    ///
    /// - Parameters:
    ///   - lifetime: the time from the broker's acceptance to the end; nil if the broker did not accept the connection.
    ///   - version: the version of the connection.
    ///   - suspects: whether short connections alone are a sign.
    package mutating func wait(
        after error: MQTTError,
        lifetime: Duration?,
        version: ProtocolVersion,
        suspects: Bool = true
    ) -> Duration? {
        guard let lifetime else {
            // A rival never keeps the client out; a broker that restarts does.
            self.shortConnections = 0
            return nil
        }
        if lifetime >= Self.unrivaledLifetime {
            self.sign = nil
            self.backoff.reset()
        }
        self.shortConnections = lifetime < Self.shortLifetime ? self.shortConnections + 1 : 0
        if case .closedByBroker(Self.takenOver, _) = error {
            self.sign = .certain
        } else if suspects, self.shortConnections >= Self.shortLimit(version) {
            self.sign = self.sign ?? .suspected
        } else {
            return nil
        }
        return Self.slowWait + self.backoff.next()
    }
}
