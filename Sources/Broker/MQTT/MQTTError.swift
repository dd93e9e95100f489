// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The reason why a connection failed, ended, or refused a message.
package enum MQTTError: Error, Hashable, Sendable {
    /// The host does not resolve, refuses the connection, or does not answer before the timeout.
    case cannotConnect(host: String, port: UInt16, ConnectFailure)
    /// The TLS handshake failed, for example because the certificate is not trusted or is for another host.
    case tls(String)
    /// The broker answered CONNECT with a refusal.
    case refused(ConnectRefusal)
    /// The broker accepted the TCP connection and closed it without a CONNACK, as old brokers do with MQTT 5.
    case closedUnanswered(String)
    /// The connection broke.
    case connectionLost(String)
    /// The port speaks another protocol than MQTT, and the client ended the connection.
    case foreign(ForeignProtocol)
    /// The broker violated MQTT, and the client ended the connection.
    case malformed(String)
    /// The broker sent DISCONNECT with a reason code of MQTT 5, section 3.14.2.1.
    case closedByBroker(code: UInt8, reason: String)
    /// The client ended the connection.
    case closed
    /// The connection is not open: `connected` has not been received yet, or the connection has ended.
    case notConnected
    /// The message is larger than MQTT or this broker allows.
    case tooLarge
    /// The queue of messages that wait for the broker is full.
    case queueFull
    /// An option or an argument is invalid.
    case invalid(String)

    /// Whether only a person can fix the cause, so that an early retry is pointless and may lock the account.
    package var needsHuman: Bool {
        switch self {
        case .refused(.badCredentials), .refused(.notAuthorized), .refused(.clientIDNotValid), .refused(.banned),
            .invalid:
            true
        default:
            false
        }
    }
}

/// The reason for which a broker refused a connection (MQTT 5, section 3.2.2.2; MQTT 3.1.1, section 3.2.2.3).
package enum ConnectRefusal: Hashable, Sendable {
    case unsupportedVersion
    case clientIDNotValid
    case badCredentials
    case notAuthorized
    case serverUnavailable
    case serverBusy
    case banned
    case quotaExceeded
    /// The broker has moved, or names another one.
    case serverMoved
    /// The client connects too often.
    case rateExceeded
    /// Any other reason code of the broker.
    case other(UInt8)

    init(code: UInt8) {
        switch code {
        case 0x01, 0x84: self = .unsupportedVersion
        case 0x02, 0x85: self = .clientIDNotValid
        case 0x03, 0x88: self = .serverUnavailable
        case 0x04, 0x86: self = .badCredentials
        case 0x05, 0x87: self = .notAuthorized
        case 0x89: self = .serverBusy
        case 0x8A: self = .banned
        case 0x97: self = .quotaExceeded
        case 0x9C, 0x9D: self = .serverMoved
        case 0x9F: self = .rateExceeded
        default: self = .other(code)
        }
    }
}

extension ConnectRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unsupportedVersion: "it does not support this version of MQTT"
        case .clientIDNotValid: "it does not accept the client id"
        case .badCredentials: "the user name or the password is wrong"
        case .notAuthorized: "user name and password are missing or wrong, or this client is not authorized"
        case .serverUnavailable: "it is unavailable"
        case .serverBusy: "it is busy"
        case .banned: "this client is banned"
        case .quotaExceeded: "a quota of this client is used up"
        case .serverMoved: "the broker has moved to another address"
        case .rateExceeded: "this client connects too often"
        case .other(let code): "reason code \(code)"
        }
    }
}

extension MQTTError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cannotConnect(let host, let port, let failure): "cannot connect to \(host) port \(port): \(failure)"
        case .tls(let reason):
            if let words = TLSFailure(reason).words {
                "no secure connection to the broker: \(words) (\(reason))"
            } else {
                "no secure connection to the broker: \(reason)"
            }
        case .refused(let refusal): "the broker refused the connection: \(refusal)"
        case .closedUnanswered(let reason): "the broker closed the connection without an answer: \(reason)"
        case .connectionLost(let reason): "the connection to the broker was lost: \(reason)"
        case .foreign(let other): "the port speaks \(other), not MQTT"
        case .malformed(let reason):
            "the broker sent \(reason), which MQTT does not allow here, so the connection was ended"
        case .closedByBroker(let code, let reason): "the broker ended the connection: \(reason) (\(code))"
        case .closed: "the connection was closed"
        case .notConnected: "not connected to the broker"
        case .tooLarge: "the message is larger than MQTT or the broker allows"
        case .queueFull:
            "\(MQTTConnection.queueLimit) messages already wait for the broker, which does not acknowledge them"
        case .invalid(let reason): "the settings of the connection are not valid: \(reason)"
        }
    }
}
