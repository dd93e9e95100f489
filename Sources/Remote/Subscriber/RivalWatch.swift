// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base
internal import MQTT

/// Finds out that another client has this client id: the broker ends one connection when the other is made.
///
/// Without a wait both would end each other's connections for ever, several times a second.
struct RivalWatch: Sendable {
    /// The reason code "session taken over" (MQTT 5, section 3.14.2.1).
    static let takenOver: UInt8 = 0x8E
    /// The lifetime from which a connection counts as not taken over.
    static let shortLifetime = Duration.seconds(5)
    /// The number of shorter connections in a row from which a rival is suspected, because MQTT 3.1.1 has no reasons.
    static let shortLimit = 5
    /// The lifetime from which a connection has no rival; a client that was taken over waits for less.
    static let unrivaledLifetime = Duration.seconds(1800)
    /// The shortest wait of a client with a rival.
    static let slowWait = Duration.seconds(30)

    private var backoff = Backoff(first: .seconds(120), limit: .seconds(900))
    private var shortConnections = 0

    /// Returns the wait after a connection that a rival has probably ended; nil without a sign of one.
    ///
    /// - Parameters:
    ///   - lifetime: the time from the broker's acceptance to the end; nil if the broker did not accept the connection.
    ///   - suspects: whether short connections alone are a sign.
    mutating func wait(after error: MQTTError, lifetime: Duration?, suspects: Bool) -> Duration? {
        guard let lifetime else {
            // A rival never keeps the client out; a broker that restarts does.
            self.shortConnections = 0
            return nil
        }
        if lifetime >= Self.unrivaledLifetime { self.backoff.reset() }
        self.shortConnections = lifetime < Self.shortLifetime ? self.shortConnections + 1 : 0
        let isSuspected = suspects && self.shortConnections >= Self.shortLimit
        guard Self.isCertain(error) || isSuspected else { return nil }
        return Self.slowWait + self.backoff.next()
    }

    /// Whether the broker itself says that another client has taken the session over.
    static func isCertain(_ error: MQTTError) -> Bool {
        if case .closedByBroker(Self.takenOver, _) = error { true } else { false }
    }
}
