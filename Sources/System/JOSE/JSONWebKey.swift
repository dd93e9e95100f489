// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CCjose
package import Base

/// A key on the curve P-256, public or private (RFC 7517, RFC 7518 section 6.2).
///
/// It is a value and holds nothing of libcjose: that gets it anew for each use, which costs some microseconds, and so it
/// may be used by several threads at a time.
package struct JSONWebKey: Hashable, Sendable {
    /// How long a `kid` may be, in bytes.
    package static let keyIDLimit = 128
    /// How long the JSON of one key may be, in bytes.
    package static let sizeLimit = 16 * 1024

    /// What the key is called among others (RFC 7517 section 4.5).
    package let keyID: String?
    /// The members that say nothing about the key itself: `roles`, `comment`, whatever there is.
    package let members: [String: JSON]
    /// The coordinates of the public point, 32 bytes each, and the private number, which is 32 bytes too.
    let x: [UInt8]
    let y: [UInt8]
    let d: [UInt8]?

    /// Whether it can sign.
    package var isPrivate: Bool { self.d != nil }

    /// The public half of the key, with all that is said about it.
    package var publicKey: JSONWebKey {
        JSONWebKey(
            keyID: self.keyID,
            members: self.members.filter { $0.key != "key_ops" },
            x: self.x,
            y: self.y,
            d: nil
        )
    }

    /// The key itself and its name as JSON: the private part too, where it has one.
    ///
    /// For the public half ask ``publicKey``.
    package var json: JSON {
        var object = self.members
        object.merge(self.required) { $1 }
        object["kid"] = self.keyID.map(JSON.string)
        object["d"] = self.d.map { .string(Base64URL.encode($0)) }
        return .object(object)
    }

    /// A hash of the public point that names the key for everybody, in base64url (RFC 7638).
    package var thumbprint: String {
        let text = Array(JSON.object(self.required).text.utf8)
        return Base64URL.encode(Digest.sha256(text))
    }

    /// What a thumbprint is made of, and libcjose needs (RFC 7638 section 3.2).
    var required: [String: JSON] {
        [
            "kty": "EC", "crv": "P-256",
            "x": .string(Base64URL.encode(self.x)), "y": .string(Base64URL.encode(self.y)),
        ]
    }

    /// A new private key.
    ///
    /// - Parameters:
    ///   - keyID: its name; nil: its ``thumbprint``.
    ///   - members: what else is to be said about it.
    package static func generate(
        keyID: String? = nil,
        members: [String: JSON] = [:]
    ) throws(JWKError) -> JSONWebKey {
        let made = try JSONWebKey(KeyHandle.generated().json())
        let name = keyID ?? made.thumbprint
        guard Self.isIdentifier(name) else { throw JWKError(.identifier(limit: Self.keyIDLimit), at: "kid") }
        return JSONWebKey(keyID: name, members: members, x: made.x, y: made.y, d: made.d)
    }

    init(keyID: String?, members: [String: JSON], x: [UInt8], y: [UInt8], d: [UInt8]?) {
        self.keyID = keyID
        self.members = members
        self.x = x
        self.y = y
        self.d = d
    }

    /// Whether it may be the name of a key, or of who has it: names end up in logs and in answers.
    ///
    /// Printable ASCII: of other characters there are several that look the same, or count as the same.
    package static func isIdentifier(_ text: String) -> Bool {
        1...Self.keyIDLimit ~= text.utf8.count && text.utf8.allSatisfy { 0x20...0x7E ~= $0 }
    }
}
