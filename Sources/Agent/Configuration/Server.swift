// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Configuration {
    /// An MQTT broker.
    package struct Server: Hashable, Sendable {
        /// A host name or an IP address, without brackets.
        package var host: String
        /// The port, from 1 to 65535.
        package var port: UInt16
        /// Whether the connection is encrypted.
        package var tls: Bool

        /// Parses `mqtt://HOST:PORT` or `mqtts://HOST:PORT`.
        ///
        /// Without a port it is 1883 or 8883. An IPv6 host is enclosed in brackets.
        package init(url text: String) throws(ValueError) {
            guard !text.utf8.contains(UInt8(ascii: "@")) else { throw .credentialsInURL }
            let tls = text.lowercased().hasPrefix("mqtts://")
            guard tls || text.lowercased().hasPrefix("mqtt://") else { throw .invalidURL(text) }
            var rest = text.dropFirst((tls ? "mqtts://" : "mqtt://").count)
            if rest.hasSuffix("/") { rest.removeLast() }
            guard !rest.contains(where: { "/?#".contains($0) }) else { throw .unexpectedPath(text) }
            let endpoint = try Endpoint(rest)
            self.host = endpoint.host
            self.port = endpoint.port ?? (tls ? 8883 : 1883)
            self.tls = tls
        }

        /// Whether the broker is on this machine or in the local network, judged by its address or name alone.
        package var isLocal: Bool { Endpoint.isLocal(self.host) }
    }
}

extension Configuration.Server: CustomStringConvertible {
    /// The URL, with its port.
    package var description: String {
        "\(self.tls ? "mqtts" : "mqtt")://\(Endpoint.bracketed(self.host)):\(self.port)"
    }
}
