// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// Why a signed message is not taken, or not made.
package enum JWSError: Error, Hashable, Sendable {
    /// A part of a compact JWS.
    package enum Part: String, Sendable {
        case header, payload, signature
    }

    /// The text has, or would have, more bytes than that.
    case tooLarge(limit: Int)
    /// It is not three parts with dots between them, but so many.
    case notCompact(parts: Int)
    case empty(Part)
    /// The part is not base64url, has padding, or its last letter holds bits that stand for nothing.
    case notBase64URL(Part)
    /// The header is not JSON, or has a member twice.
    case header(JSONParsingError)
    /// The header, or this member of it, is another kind of JSON value, in words.
    case kind(String, expected: String, found: String)
    /// The header has a member that would change how it is verified, or brings a key: `crit`, `jwk`.
    case refusedMember(String)
    /// The header asks for another algorithm than ES256; nil: for none of any name.
    case algorithm(String?)
    /// The key, or the header, does not say which key it is.
    case missingKeyID
    /// No key with this name is trusted.
    case unknownKey(String)
    /// The signature is not one of this key of this header and payload.
    case signature
    /// The key has no private part to sign with.
    case publicKey
    /// The library refuses it, or found no memory; its own words.
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
        case .kind("", let expected, let found): "the header is \(found) instead of \(expected)"
        case .kind(let member, let expected, let found): "\(member) in the header is \(found) instead of \(expected)"
        case .refusedMember(let name): "the header has \(name), which is never taken"
        case .algorithm(nil): "the header names no algorithm; only ES256 is taken"
        case .algorithm(let name?): "the algorithm is \(quoted(name)); only ES256 is taken"
        case .missingKeyID: "it is not said which key it is"
        case .unknownKey(let name): "the key \(quoted(name)) is not trusted"
        case .signature: "the signature is wrong"
        case .publicKey: "a public key cannot sign"
        case .library(let words): "libcjose: \(words)"
        }
    }
}
