// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A protocol other than MQTT that a port speaks, by the first bytes of its answer.
package enum ForeignProtocol: Hashable, Sendable {
    /// An alert of TLS (RFC 8446, section 6).
    case tls
    /// A web server, a proxy, or MQTT over WebSocket.
    case http
    case ssh

    /// Returns nil for the beginning of an MQTT packet, and of anything unknown.
    init?(_ bytes: some Collection<UInt8>) {
        // The first packet of a broker is CONNACK, which begins with 20.
        if bytes.starts(with: [0x15, 0x03]) {
            self = .tls
        } else if bytes.starts(with: "HTTP".utf8) {
            self = .http
        } else if bytes.starts(with: "SSH-".utf8) {
            self = .ssh
        } else {
            return nil
        }
    }
}

extension ForeignProtocol: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tls: "TLS"
        case .http: "HTTP"
        case .ssh: "SSH"
        }
    }
}
