// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// Which MQTT is spoken.
package enum ProtocolVersion: Hashable, Sendable {
    case v5
    case v311
}

/// Where the broker is.
package struct Server: Hashable, Sendable {
    /// A name or an address.
    package var host: String
    package var port: UInt16
    /// The check of the broker's certificate; nil: plain TCP.
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
    /// PEM file of the trusted authorities; nil: those of the system, in `/etc/ssl/certs`.
    package var caFile: String?
    /// PEM file of the client's certificate, for brokers that ask for one; goes together with ``keyFile``.
    package var certificateFile: String?
    /// PEM file of the client's private key, unencrypted.
    package var keyFile: String?

    package init(caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
        self.caFile = caFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}

/// What a connection is made with; becomes the CONNECT packet (MQTT 5, section 3.1).
package struct ConnectionOptions: Sendable {
    package var server: Server
    package var clientID: String
    package var username: String?
    package var password: String?
    /// What the broker publishes when the connection ends without a DISCONNECT.
    package var will: Message?
    /// After how long a silence each side pings; whole seconds from 5 to 65,535.
    package var keepAlive: Duration
    /// How long the broker keeps the session after the connection; whole seconds.
    ///
    /// Zero: a clean start, and nothing is kept. MQTT 3.1.1 knows no time: anything else means forever there.
    package var sessionExpiry: Duration
    package var version: ProtocolVersion
    /// The most that everything up to the CONNACK may take: name, TCP, TLS, MQTT.
    package var connectTimeout: Duration
    /// The largest packet that is received, in bytes, its header included.
    ///
    /// A larger message is acknowledged, dropped and counted. The broker is not told the limit.
    package var packetLimit: Int
    /// How many received messages may wait to be read; what comes then is dropped, and counted.
    package var receiveLimit: Int

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
