// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The reason for which a signed message is refused, or for which signing failed.
package enum JWSError: Error, Hashable, Sendable {
    /// A part of a compact JWS.
    package enum Part: String, Sendable {
        case header, payload, signature
    }

    /// The text has, or would have, more bytes than the limit.
    case tooLarge(limit: Int)
    /// The text has this number of parts instead of three parts with dots between them.
    case notCompact(parts: Int)
    case empty(Part)
    /// The part is not base64url, has padding, or its last letter has unused bits that are not 0.
    case notBase64URL(Part)
    /// The header is not JSON, or has a member twice.
    case header(JSONParsingError)
    /// The header, or this member of it, has the wrong JSON type; both types in words.
    case kind(String, expected: String, found: String)
    /// The header has a member that changes the verification or contains a key, such as `crit` or `jwk`.
    case refusedMember(String)
    /// The header names an algorithm other than ES256, or none, which is `nil`.
    case algorithm(String?)
    /// The key or the header has no `kid`.
    case missingKeyID
    /// No trusted key has this `kid`.
    case unknownKey(String)
    /// The signature does not match the key, the header and the payload.
    case signature
    /// The key has no private part to sign with.
    case publicKey
    /// libcjose refused the message or ran out of memory; its error message.
    case library(String)
}

extension JWSError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLarge(let limit): "it is longer than \(limit) bytes"
        case .notCompact(let parts): "it has \(parts) parts instead of 3"
        case .empty(let part): "the \(part.rawValue) is empty"
        case .notBase64URL(let part): "the \(part.rawValue) is not base64url without padding"
        case .header(let error): "the header: \(error)"
        case .kind("", let expected, let found): "the header: expected \(expected), found \(found)"
        case .kind(let member, let expected, let found): "\(member) in the header: expected \(expected), found \(found)"
        case .refusedMember(let name): "the header has \(name), which is not allowed"
        case .algorithm(nil): "the header names no algorithm. Try: ES256"
        case .algorithm(let name?): "the algorithm \(quoted(name)) is not supported. Try: ES256"
        case .missingKeyID: "kid, which names the key, is missing"
        case .unknownKey(let name):
            "the key \(quoted(name)) is not trusted. Try: its public half in the file of [commands] trusted_keys"
        case .signature: "the signature is wrong"
        case .publicKey: "a public key cannot sign"
        case .library(let message): "libcjose: \(message)"
        }
    }
}
