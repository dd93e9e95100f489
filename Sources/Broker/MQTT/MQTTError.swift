// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Why a connection could not be made, has ended, or does not take a message.
package enum MQTTError: Error, Hashable, Sendable {
    /// The host does not resolve, does not answer, or took too long.
    case cannotConnect(host: String, port: UInt16, reason: String)
    /// The certificate is not trusted, is for another host, or the handshake failed otherwise.
    case tls(String)
    /// The broker answered CONNECT with a refusal.
    case refused(Refusal)
    /// The broker took the TCP connection and closed it without a CONNACK; old brokers do so with MQTT 5.
    case closedUnanswered(String)
    /// The connection broke.
    case connectionLost(String)
    /// The broker sent something that MQTT does not allow, and this side ended the connection.
    case malformed(String)
    /// The broker said DISCONNECT; the reason code of MQTT 5, section 3.14.2.1.
    case closedByBroker(code: UInt8, reason: String)
    /// This side ended it.
    case closed
    /// There is no connection now: before `connected`, or after its end.
    case notConnected
    /// The message is larger than MQTT or this broker allows.
    case tooLarge
    /// So many messages wait for the broker that no more are taken.
    case queueFull
    /// An option or argument that cannot be used.
    case invalid(String)

    /// Whether only a human can mend this, so that retrying soon is in vain and may lock the account.
    package var needsHuman: Bool {
        switch self {
        case .refused(.badCredentials), .refused(.notAuthorised), .refused(.clientIDNotValid), .refused(.banned),
            .invalid:
            true
        default:
            false
        }
    }
}

/// Why a broker refused a connection (MQTT 5, section 3.2.2.2; MQTT 3.1.1, section 3.2.2.3).
package enum Refusal: Hashable, Sendable {
    case unsupportedVersion
    case clientIDNotValid
    case badCredentials
    case notAuthorised
    case serverUnavailable
    case serverBusy
    case banned
    /// Any other reason code of the broker.
    case other(UInt8)

    init(code: UInt8) {
        switch code {
        case 0x01, 0x84: self = .unsupportedVersion
        case 0x02, 0x85: self = .clientIDNotValid
        case 0x03, 0x88: self = .serverUnavailable
        case 0x04, 0x86: self = .badCredentials
        case 0x05, 0x87: self = .notAuthorised
        case 0x89: self = .serverBusy
        case 0x8A: self = .banned
        default: self = .other(code)
        }
    }
}

extension Refusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unsupportedVersion: "it does not speak this version of MQTT"
        case .clientIDNotValid: "it does not accept the client id"
        case .badCredentials: "the user name or the password is wrong"
        case .notAuthorised: "this client is not authorised"
        case .serverUnavailable: "it is unavailable"
        case .serverBusy: "it is busy"
        case .banned: "this client is banned"
        case .other(let code): "reason code \(code)"
        }
    }
}

extension MQTTError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cannotConnect(let host, let port, let reason): "cannot connect to \(host) port \(port): \(reason)"
        case .tls(let reason): "no secure connection to the broker: \(reason)"
        case .refused(let refusal): "the broker refused the connection: \(refusal)"
        case .closedUnanswered(let reason): "the broker closed the connection without an answer: \(reason)"
        case .connectionLost(let reason): "the connection to the broker was lost: \(reason)"
        case .malformed(let what): "the broker sent \(what): the connection was ended"
        case .closedByBroker(let code, let reason): "the broker ended the connection: \(reason) (\(code))"
        case .closed: "the connection was closed"
        case .notConnected: "not connected to the broker"
        case .tooLarge: "the message is too large for the broker"
        case .queueFull: "too many messages wait for the broker"
        case .invalid(let what): "invalid: \(what)"
        }
    }
}
