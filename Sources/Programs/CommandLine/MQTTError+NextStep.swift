// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import MQTT

extension MQTTError {
    /// Returns the next step of the user.
    ///
    /// - Parameters:
    ///   - settings: the place of the settings that may be wrong.
    ///   - url: the broker's URL, which tells whether the connection is encrypted.
    package func nextStep(_ settings: BrokerSettings, of url: String) -> String {
        let isEncrypted = url.hasPrefix("mqtts://")
        return switch self {
        case .cannotConnect(let host, _, let failure): failure.nextStep(settings, host: host)
        case .tls(let reason): TLSFailure(reason).nextStep(settings)
        case .refused(let refusal): refusal.nextStep(settings)
        case .foreign(.tls): "mqtts:// in \(settings.url): the port expects TLS."
        case .foreign(.http):
            """
            the broker's MQTT port in \(settings.url), usually 8883 with TLS or 1883 without: this one belongs to a web \
            server, a proxy, or MQTT over WebSocket.
            """
        case .foreign(.ssh): "the broker's MQTT port in \(settings.url), usually 8883 with TLS or 1883 without."
        case .closedUnanswered where isEncrypted:
            """
            \(settings.clientFiles), if the broker requires a certificate of this client; or mqtt:// in \(settings.url), \
            if the port has no TLS. The broker's log has the reason.
            """
        case .closedUnanswered:
            "mqtts:// in \(settings.url), if the port expects TLS. Otherwise the broker's log has the reason."
        case .closedByBroker(let code, _): Self.nextStep(settings, disconnected: code)
        case .tooLarge: "allow larger packets at the broker, in Mosquitto with max_packet_size."
        case .queueFull: "check the network, and that the broker keeps up; it has not acknowledged the messages before."
        case .connectionLost, .closed, .notConnected:
            "check the network and that the broker runs, then repeat the command."
        case .malformed: "check that \(settings.url) has the port of an MQTT broker, then read the broker's log."
        case .invalid: "correct the settings; the manual page has their valid values."
        }
    }

    /// Returns the next step after a DISCONNECT (MQTT 5, section 3.14.2.1).
    private static func nextStep(_ settings: BrokerSettings, disconnected code: UInt8) -> String {
        switch code {
        case RivalWatch.takenOver:
            "stop the other client with this client id, or give one of both another\(settings.clientID)."
        case 0x87: "check \(settings.credentials), and the rules for this user in the broker's access list."
        case 0x89, 0x8B, 0x97, 0x9F: "again in a minute. If it stays so, the broker's log has the reason."
        case 0x9C, 0x9D: "the broker's new address in \(settings.url)."
        default: "read the broker's log."
        }
    }
}

extension ConnectFailure {
    fileprivate func nextStep(_ settings: BrokerSettings, host: String) -> String {
        switch self {
        case .unknownHost:
            "check the host name in \(settings.url), and that this machine has a name server: getent hosts \(host.shellWord)"
        case .refused:
            "start the broker there, and check the port in \(settings.url): usually 8883 with TLS, 1883 without."
        case .silentPort:
            "check that \(settings.url) has the port of an MQTT broker, and mqtts:// exactly if the port has TLS."
        case .unreachable: "connect this machine to the broker's network, and check the address in \(settings.url)."
        case .noAnswer, .other:
            "check that the broker runs, that \(settings.url) is right, and that no firewall is in between."
        }
    }
}

extension ConnectRefusal {
    fileprivate func nextStep(_ settings: BrokerSettings) -> String {
        switch self {
        case .badCredentials, .notAuthorized:
            "check \(settings.credentials). If they are right, the broker's access list keeps this client out."
        case .banned: "ask the broker's administrator to lift the ban."
        case .clientIDNotValid:
            "ask the broker's administrator for a valid client id; some brokers demand that it is the user name."
        case .serverUnavailable, .serverBusy, .quotaExceeded, .rateExceeded:
            "again in a minute. If it stays so, the broker's log has the reason."
        case .serverMoved: "the broker's new address in \(settings.url)."
        case .unsupportedVersion, .other: "read the broker's log."
        }
    }
}

extension TLSFailure {
    fileprivate func nextStep(_ settings: BrokerSettings) -> String {
        switch self {
        case .clientCertificateMissing:
            """
            \(settings.portForPasswords)\(settings.clientFiles), with a certificate of an authority that the broker trusts.
            """
        case .clientCertificateRejected:
            "another certificate in \(settings.clientFiles), valid today and of an authority that the broker trusts."
        case .badFile: "a readable file in PEM form; a key must belong to its certificate, and have no password."
        case .unknownAuthority:
            """
            the certificate of the authority that has signed the broker's in \(settings.authorities). Without that \
            setting, only the authorities of the system are trusted.
            """
        case .selfSigned:
            """
            the certificate of the authority that has signed the broker's, from the broker's administrator, in \
            \(settings.authorities). If it is the right one already, something between may pretend to be the broker.
            """
        case .otherHost:
            """
            the name that the certificate has, in \(settings.url); or a certificate whose subject alternative names have \
            this host.
            """
        case .expired: "a new certificate for the broker. If it is valid, the clock of this machine is wrong: date"
        case .notYetValid: "set the clock of this machine: date. If it is right, the broker's certificate is wrong."
        case .revoked: "a new certificate for the broker."
        case .notTLS:
            "the broker's TLS port in \(settings.url), usually 8883; or mqtt:// in a private network without TLS."
        case .noCommonVersion: "TLS 1.2 or later at the broker."
        case .refused: "\(settings.clientFiles), if the broker requires them. Its log has the reason."
        case .other:
            """
            check that \(settings.authorities) is the authority of the broker's certificate, and that the certificate's \
            subject alternative names have the host.
            """
        }
    }
}
