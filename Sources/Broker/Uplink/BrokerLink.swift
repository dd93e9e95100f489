// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import MQTT

/// The connection to the broker: which broker is dialed, as which client, with which MQTT version, and when again.
///
/// ``Uplink`` dials, reads the events and waits. This value decides.
struct BrokerLink {
    /// The lifetime of the session at the broker: commands for an unreachable vehicle wait as long as they are valid.
    static let sessionExpiry = Duration.seconds(24 * 3600)
    /// The largest received packet in bytes: a command of 64 KiB with its topic and properties.
    static let packetLimit = 69_632

    /// The lifetime after which a connection is taken to be harmless to the process.
    static let provenLifetime = Duration.seconds(10)

    /// The step after a connection has ended.
    enum NextStep: Hashable, Sendable {
        case connectNow
        case wait(Duration)
    }

    private let options: UplinkOptions
    private let connect: Uplink.Connect
    /// Ends the wait before the next connection.
    let retryTimer = InterruptibleTimer()
    private var serverIndex = 0
    private var fallback = VersionFallback()
    /// Whether the connection is closed for the sake of another version.
    private var hasWrongVersion = false
    private var schedule = ReconnectSchedule()
    /// The time at which the broker accepted the current connection; nil if it has not.
    private var acceptedAt: MonotonicTime?
    /// Whether the mark of an attempt to connect is set.
    private var isMarked = false
    /// The number of replaced connections.
    private(set) var generation = 0
    private(set) var connection: (any BrokerConnection)?
    /// Whether the broker has accepted the current connection, and the agent still uses it.
    private(set) var isConnected = false
    /// The sent bytes of the current connection that ``takeSentBytes(of:)`` has returned.
    private var countedBytes = 0

    init(_ options: UplinkOptions, connect: @escaping Uplink.Connect) {
        self.options = options
        self.connect = connect
    }

    /// The connection that can carry messages now; nil while there is none.
    var openConnection: (any BrokerConnection)? { self.isConnected ? self.connection : nil }

    /// The broker that is dialed next.
    var server: Server { self.options.servers[self.serverIndex] }

    private func clientID(of vehicle: String) -> String { "obd-\(self.options.agent)-\(vehicle)" }

    // MARK: - The course of a connection

    /// Dials the next broker, with the credentials as they are on the disk now.
    mutating func dial(for topics: VehicleTopics) throws(MQTTError) -> any BrokerConnection {
        self.mark(true)
        let connection = try self.connect(self.connectionOptions(topics))
        self.connection = connection
        self.countedBytes = 0
        return connection
    }

    private func connectionOptions(_ topics: VehicleTopics) throws(MQTTError) -> ConnectionOptions {
        guard let availability = try? topics.topic(.availability) else { throw .invalid("topic") }
        return ConnectionOptions(
            server: self.server,
            clientID: self.clientID(of: topics.vehicle),
            username: self.options.username,
            password: try self.options.password(),
            will: Message(topic: availability, payload: Availability.offline.payload, qos: .atLeastOnce, retain: true),
            sessionExpiry: Self.sessionExpiry,
            version: self.fallback.version,
            packetLimit: Self.packetLimit
        )
    }

    /// The broker has accepted the dialed connection.
    ///
    /// - Returns: false if the connection is to be closed, because the broker may support a newer version of MQTT.
    mutating func accepted(at now: MonotonicTime) -> Bool {
        self.hasWrongVersion = !self.fallback.connected()
        if !self.hasWrongVersion { self.acceptedAt = now }
        return !self.hasWrongVersion
    }

    /// The accepted connection can be used.
    ///
    /// - Returns: false if the connection was replaced while it was dialed; it is being closed then.
    mutating func opened(_ connection: any BrokerConnection) -> Bool {
        guard self.connection === connection else { return false }
        self.isConnected = true
        return true
    }

    /// Removes the mark of the attempt once the connection has stood for a while.
    mutating func ticked(at now: MonotonicTime) {
        guard let acceptedAt = self.acceptedAt, now - acceptedAt >= Self.provenLifetime else { return }
        self.mark(false)
    }

    private mutating func mark(_ isConnecting: Bool) {
        guard isConnecting != self.isMarked else { return }
        self.isMarked = isConnecting
        self.options.markConnecting(isConnecting)
    }

    /// Stops using the connection, which stays open until its end is reported.
    mutating func suspend() { self.isConnected = false }

    /// Gives the connection up for a new one, which is dialed at once when this one has ended.
    mutating func replaceConnection() {
        self.generation += 1
        self.isConnected = false
    }

    /// Drops the connection: no further messages go over it.
    mutating func release() {
        self.connection = nil
        self.mark(false)
    }

    /// Returns the step after a connection that has ended, or was not made.
    ///
    /// - Parameter generation: ``generation`` when the connection was dialed.
    mutating func ended(_ failure: MQTTError, generation: Int, at now: MonotonicTime) -> NextStep {
        self.mark(false)
        let lifetime = self.acceptedAt.take().map { now - $0 }
        // The vehicle or the credential files have changed.
        if generation != self.generation || self.hasWrongVersion {
            self.hasWrongVersion = false
            return .connectNow
        }
        if lifetime == nil { self.serverIndex = (self.serverIndex + 1) % self.options.servers.count }
        let version = self.fallback.version
        self.fallback.ended(failure)
        // The older version is tried at once. A broker that refuses both versions waits like any other.
        if version == .v5, failure == .refused(.unsupportedVersion) { return .connectNow }
        return .wait(self.schedule.wait(after: failure, lifetime: lifetime, version: version))
    }

    // MARK: - Traffic and rivals

    /// Returns the bytes that a connection has sent since the last call.
    mutating func takeSentBytes(of connection: any BrokerConnection) -> Int {
        let total = connection.bytesSent
        defer { self.countedBytes = total }
        return total - self.countedBytes
    }

    /// Returns a warning about another client that seems to use the same client id; nil without a sign of one.
    func rivalry(over vehicle: String, at now: MonotonicTime) -> String? {
        guard let rival = self.schedule.rival,
            self.acceptedAt.map({ now - $0 < RivalWatch.unrivaledLifetime }) ?? true
        else { return nil }
        let id = self.clientID(of: vehicle)
        let sign =
            switch rival {
            case .certain: "Another client uses the client id \(id): each ends the other's connection"
            case .suspected:
                "Each connection ends right after it is made: the broker may end again and again, or another client may "
                    + "use the client id \(id)"
            }
        let renewal = "sudo rm /etc/machine-id && sudo systemd-machine-id-setup && sudo reboot"
        return "\(sign). Try: if this card is a copy, \(renewal); otherwise end the other agent (pgrep -a obd-agent)"
    }
}
