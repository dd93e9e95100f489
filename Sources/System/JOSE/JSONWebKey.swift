// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import CCjose

/// A key on the curve P-256, public or private (RFC 7517, RFC 7518 section 6.2).
///
/// A key is a plain value without resources of libcjose, so several threads may use it at the same time. Each use
/// imports it into libcjose again, which costs some microseconds.
package struct JSONWebKey: Hashable, Sendable {
    /// The longest `kid`, in bytes.
    package static let keyIDLimit = 128
    /// The longest JSON of one key, in bytes.
    package static let sizeLimit = 16 * 1024

    /// The `kid`, which identifies the key in a set (RFC 7517 section 4.5).
    package let keyID: String?
    /// All members except those that define the key: `roles`, `comment` and others.
    package let members: [String: JSON]
    /// The coordinates `x` and `y` of the public point and the private number `d`, 32 bytes each.
    let x: [UInt8]
    let y: [UInt8]
    let d: [UInt8]?

    /// Whether the key can sign.
    package var isPrivate: Bool { self.d != nil }

    /// The public half of the key, with its members except `key_ops`.
    package var publicKey: JSONWebKey {
        JSONWebKey(
            keyID: self.keyID,
            members: self.members.filter { $0.key != "key_ops" },
            x: self.x,
            y: self.y,
            d: nil
        )
    }

    /// The key as JSON, including the private part if there is one.
    ///
    /// To publish a key, use the JSON of its ``publicKey``.
    package var json: JSON {
        var object = self.members
        object.merge(self.required) { $1 }
        object["kid"] = self.keyID.map(JSON.string)
        object["d"] = self.d.map { .string(Base64URL.encode($0)) }
        return .object(object)
    }

    /// A hash of the public point that identifies the key globally, in base64url (RFC 7638).
    package var thumbprint: String {
        let text = Array(JSON.object(self.required).text.utf8)
        return Base64URL.encode(Digest.sha256(text))
    }

    /// The members that the thumbprint covers and that libcjose requires (RFC 7638 section 3.2).
    var required: [String: JSON] {
        [
            "kty": "EC", "crv": "P-256",
            "x": .string(Base64URL.encode(self.x)), "y": .string(Base64URL.encode(self.y)),
        ]
    }

    /// Creates a random private key.
    ///
    /// - Parameters:
    ///   - keyID: the `kid`, or `nil` for the ``thumbprint``.
    ///   - members: further members, such as `roles`.
    package static func generate(
        keyID: String? = nil,
        members: [String: JSON] = [:]
    ) throws(JWKError) -> JSONWebKey {
        let key = try JSONWebKey(KeyHandle.generated().json())
        let name = keyID ?? key.thumbprint
        guard Self.isIdentifier(name) else { throw JWKError(.identifier(limit: Self.keyIDLimit), at: "kid") }
        return JSONWebKey(keyID: name, members: members, x: key.x, y: key.y, d: key.d)
    }

    init(keyID: String?, members: [String: JSON], x: [UInt8], y: [UInt8], d: [UInt8]?) {
        self.keyID = keyID
        self.members = members
        self.x = x
        self.y = y
        self.d = d
    }

    /// Whether `text` can identify a key or its owner: 1 to 128 bytes of printable ASCII.
    ///
    /// Identifiers appear in logs and in responses. Other characters are refused, because several of them look the same
    /// or are equivalent.
    package static func isIdentifier(_ text: String) -> Bool {
        1...Self.keyIDLimit ~= text.utf8.count && text.utf8.allSatisfy { 0x20...0x7E ~= $0 }
    }
}
