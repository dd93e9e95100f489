// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The versions of MQTT.
package enum ProtocolVersion: Hashable, Sendable {
    case v5
    case v311
}

/// The address of a broker.
package struct Server: Hashable, Sendable {
    /// A host name or an IP address.
    package var host: String
    package var port: UInt16
    /// The TLS settings, or `nil` for plain TCP.
    package var tls: TLS?

    package init(host: String, port: UInt16, tls: TLS? = nil) {
        self.host = host
        self.port = port
        self.tls = tls
    }
}

/// TLS 1.2 or newer, with the broker's certificate and host name verified; neither can be switched off.
///
/// The host must be one of the certificate's subject alternative names. Revocation is not checked.
package struct TLS: Hashable, Sendable {
    /// The PEM file of the trusted authorities, or `nil` for those of the system, in `/etc/ssl/certs`.
    package var caFile: String?
    /// The PEM file of the client's certificate, for brokers that ask for one; requires ``keyFile``.
    package var certificateFile: String?
    /// The PEM file of the client's private key, unencrypted; requires ``certificateFile``.
    package var keyFile: String?

    package init(caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
        self.caFile = caFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}

/// The settings of a connection, which become its CONNECT packet (MQTT 5, section 3.1).
package struct ConnectionOptions: Sendable {
    package var server: Server
    package var clientID: String
    package var username: String?
    package var password: String?
    /// The will: the message that the broker publishes if the connection ends without a DISCONNECT.
    package var will: Message?
    /// The keep alive interval, after which the client pings a silent broker; whole seconds from 5 to 65,535.
    package var keepAlive: Duration
    /// The time that the broker keeps the session after the connection, in whole seconds.
    ///
    /// Zero means a clean start, and the broker keeps nothing. A broker of MQTT 3.1.1 keeps a session without a time
    /// limit if the value is not zero.
    package var sessionExpiry: Duration
    package var version: ProtocolVersion
    /// The timeout for everything up to the CONNACK: name resolution, TCP, TLS and MQTT.
    package var connectTimeout: Duration
    /// The largest accepted packet in bytes, its header included.
    ///
    /// A larger message is acknowledged, dropped and counted. CONNECT does not announce the limit.
    package var packetLimit: Int
    /// The number of received messages that may wait to be read; further messages are dropped and counted.
    package var receiveLimit: Int
    /// Whether the broker gets the acknowledgement of a message of QoS 1 only after
    /// ``MQTTConnection/acknowledge(_:)``.
    ///
    /// Then at most 64 MiB of messages wait for their acknowledgement; ``receiveLimit`` must not be less than their
    /// number, because a message that finds no room there is acknowledged.
    package var holdsAcknowledgements = false
    /// The number of messages of QoS 1 that the broker may send before the first is acknowledged; nil: 65,535.
    ///
    /// MQTT 5 only (section 3.1.2.11.3). Brokers have a limit of their own: Mosquitto `max_inflight_messages`.
    package var receiveMaximum: UInt16?

    package init(
        server: Server,
        clientID: String,
        username: String? = nil,
        password: String? = nil,
        will: Message? = nil,
        keepAlive: Duration = .seconds(30),
        sessionExpiry: Duration = .zero,
        version: ProtocolVersion = .v5,
        connectTimeout: Duration = .seconds(20),
        packetLimit: Int = MQTTConnection.packetLimit,
        receiveLimit: Int = MQTTConnection.receiveLimit
    ) {
        self.server = server
        self.clientID = clientID
        self.username = username
        self.password = password
        self.will = will
        self.keepAlive = keepAlive
        self.sessionExpiry = sessionExpiry
        self.version = version
        self.connectTimeout = connectTimeout
        self.packetLimit = packetLimit
        self.receiveLimit = receiveLimit
    }
}
