// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import JOSE
import TestSupport

/// A sender of messages with `mosquitto_pub`.
struct Publisher: Sendable {
    /// The options for the broker and the credentials.
    let connection: [String]

    init(_ broker: Broker, _ credentials: [String] = []) {
        self.connection = ["-h", "127.0.0.1", "-p", "\(broker.port)", "-V", "mqttv5"] + credentials
    }

    /// Publishes a text, and returns when the broker has acknowledged it.
    func publish(_ text: String, to topic: String, retain: Bool = false, properties: [String] = []) async throws {
        let directory = try TemporaryDirectory()
        try await self.publish(file: try directory.write(text, to: "payload"), to: topic, retain, properties)
    }

    /// Publishes any bytes.
    func publish(_ bytes: [UInt8], to topic: String) async throws {
        let directory = try TemporaryDirectory()
        try await self.publish(file: try directory.write(bytes, to: "payload"), to: topic, false, [])
    }

    private func publish(file: String, to topic: String, _ retain: Bool, _ properties: [String]) async throws {
        try await Program("mosquitto_pub", debianPackage: "mosquitto-clients").run(
            self.connection + ["-q", "1", "-t", topic, "-f", file] + (retain ? ["-r"] : []) + properties
        )
    }
}

/// A command as a user would write it by hand.
struct CommandText: Sendable {
    var id: String
    var command: String
    var arguments: String?
    var vehicle: String?
    /// The key that signs the command; nil for an unsigned command.
    var key: JSONWebKey?
    /// The times of issue and expiry, in seconds from now.
    var issued = -1.0
    var expires = 600.0

    func text() throws -> String {
        let now = Date.now
        if let key {
            let claims = """
                {"iss": "\(key.keyID ?? "")", "aud": "\(self.vehicle ?? "")", "jti": "\(self.id)",
                 "iat": \(now.timeIntervalSince1970 + self.issued), "exp": \(now.timeIntervalSince1970 + self.expires),
                 "command": "\(self.command)", "arguments": \(self.arguments ?? "{}")}
                """
            return try CompactJWS.sign(Array(claims.utf8), with: key)
        }
        var members = [
            "\"id\": \"\(self.id)\"", "\"command\": \"\(self.command)\"",
            "\"issued_at\": \"\((now + self.issued).ISO8601Format())\"",
            "\"expires_at\": \"\((now + self.expires).ISO8601Format())\"",
        ]
        if let arguments { members.append("\"arguments\": \(arguments)") }
        if let vehicle { members.append("\"vehicle\": \"\(vehicle)\"") }
        return "{\(members.joined(separator: ", "))}"
    }
}
