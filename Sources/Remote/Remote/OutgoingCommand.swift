// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
package import JOSE

/// A command to a vehicle.
package struct OutgoingCommand: Hashable, Sendable {
    /// The longest validity of a command.
    ///
    /// Agents refuse a longer one.
    package static let maximumValidity = Duration.seconds(24 * 3600)

    /// The unique id of the command.
    package let id: String
    package let command: String
    package let arguments: [String: JSON]
    /// The topic level of the vehicle.
    package let vehicle: String
    package let issuedAt: Timestamp
    /// The time after which agents refuse the command.
    package let expiresAt: Timestamp

    /// - Parameters:
    ///   - command: the name of the command.
    ///   - arguments: its arguments.
    ///   - vehicle: the topic level of the vehicle.
    ///   - now: the time of issue.
    ///   - validity: the time for which the command is valid; at most ``maximumValidity``.
    ///   - id: the unique id.
    package init(
        _ command: String,
        _ arguments: [String: JSON] = [:],
        for vehicle: String,
        at now: Timestamp,
        validity: Duration,
        id: String = Self.newID()
    ) {
        self.id = id
        self.command = command
        self.arguments = arguments
        self.vehicle = vehicle
        self.issuedAt = now
        self.expiresAt = now + min(validity, Self.maximumValidity)
    }

    /// Returns a new random id that no other client can guess.
    package static func newID() -> String {
        let digits = (0..<4).map { _ in String(UInt32.random(in: 0x1000_0000 ... .max), radix: 16) }
        return "remote-" + digits.joined()
    }

    /// Returns the payload of the message.
    ///
    /// Without a key it is a JSON object. With a key it is a compact JWS (RFC 7515) whose claims are named as in JSON
    /// Web Tokens (RFC 7519 section 4.1).
    ///
    /// - Throws: ``JWSError`` if the key cannot sign.
    package func payload(signedBy key: JSONWebKey?) throws(JWSError) -> [UInt8] {
        guard let key else { return Array(self.plain.text.utf8) }
        let claims: JSON = [
            "iss": Self.issuer(key).map { .string($0) } ?? .null,
            "aud": .string(self.vehicle), "jti": .string(self.id),
            "iat": Self.seconds(self.issuedAt), "exp": Self.seconds(self.expiresAt),
            "command": .string(self.command), "arguments": .object(self.arguments),
        ]
        return Array(try CompactJWS.sign(Array(claims.text.utf8), with: key, type: "JWT").utf8)
    }

    /// Returns the name of the signer with this key, as in the responses to verified commands.
    package static func issuer(_ key: JSONWebKey) -> String? { key.members["iss"]?.string ?? key.keyID }

    private var plain: JSON {
        [
            "id": .string(self.id), "command": .string(self.command), "arguments": .object(self.arguments),
            "issued_at": .string(self.issuedAt.description), "expires_at": .string(self.expiresAt.description),
            "vehicle": .string(self.vehicle),
        ]
    }

    /// Returns the seconds since 1970.
    private static func seconds(_ time: Timestamp) -> JSON {
        let (seconds, milliseconds) = time.milliseconds.quotientAndRemainder(dividingBy: 1000)
        return milliseconds == 0 ? .integer(seconds) : .number(Double(time.milliseconds) / 1000)
    }
}
