// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
package import JOSE

/// A command that is sent to a vehicle.
package struct OutgoingCommand: Hashable, Sendable {
    /// The longest time that a command may be valid: agents refuse more.
    package static let longestLife = Duration.seconds(24 * 3600)

    /// New for each command.
    package let id: String
    package let command: String
    package let arguments: [String: JSON]
    /// The topic level of the vehicle that it is for.
    package let vehicle: String
    package let issuedAt: Timestamp
    /// It does nothing from then on.
    package let expiresAt: Timestamp

    /// - Parameter life: how long it may be obeyed; at most ``longestLife``.
    package init(
        _ command: String,
        _ arguments: [String: JSON] = [:],
        for vehicle: String,
        at now: Timestamp,
        life: Duration,
        id: String = Self.newID()
    ) {
        self.id = id
        self.command = command
        self.arguments = arguments
        self.vehicle = vehicle
        self.issuedAt = now
        self.expiresAt = now + min(life, Self.longestLife)
    }

    /// An id that nobody has used before, nor can guess.
    package static func newID() -> String {
        let digits = (0..<4).map { _ in String(UInt32.random(in: 0x1000_0000 ... .max), radix: 16) }
        return "remote-" + digits.joined()
    }

    /// The payload of the message: a JSON object, or with a key the same as a compact JWS (RFC 7515), in the words of
    /// JSON Web Tokens (RFC 7519 section 4.1).
    ///
    /// - Throws: ``JWSError`` where the key can't sign.
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

    /// Who signs with this key, as it stands in the answers to what was verified.
    package static func issuer(_ key: JSONWebKey) -> String? { key.members["iss"]?.string ?? key.keyID }

    private var plain: JSON {
        [
            "id": .string(self.id), "command": .string(self.command), "arguments": .object(self.arguments),
            "issued_at": .string(self.issuedAt.description), "expires_at": .string(self.expiresAt.description),
            "vehicle": .string(self.vehicle),
        ]
    }

    /// Seconds since 1970.
    private static func seconds(_ time: Timestamp) -> JSON {
        let (seconds, milliseconds) = time.milliseconds.quotientAndRemainder(dividingBy: 1000)
        return milliseconds == 0 ? .integer(seconds) : .number(Double(time.milliseconds) / 1000)
    }
}
