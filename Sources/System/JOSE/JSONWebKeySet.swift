// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// A set of trusted public keys, each with a `kid` (RFC 7517 section 5).
///
/// RFC 7517 lets a reader ignore keys of unknown types. This reader refuses the whole set instead, because otherwise a
/// key that was meant to be trusted would be missing without an error.
package struct JSONWebKeySet: Hashable, Sendable {
    /// The largest number of keys.
    package static let countLimit = 256
    /// The longest JSON of a set, in bytes.
    package static let sizeLimit = 256 * 1024

    /// The keys, in the order of the file; each has a ``JSONWebKey/keyID`` and no private part.
    package let keys: [JSONWebKey]

    /// The set without any trusted key.
    package static let empty = JSONWebKeySet(keys: [])

    private init(keys: [JSONWebKey]) {
        self.keys = keys
    }

    /// Reads a set, and refuses it if any key is invalid.
    ///
    /// Members of the set other than `keys` are ignored.
    package init(parsing bytes: [UInt8]) throws(JWKError) {
        let set = try JSON(jwk: bytes, sizeLimit: Self.sizeLimit).object(at: "")
        guard let list = set["keys"] else { throw JWKError(.missing, at: "keys") }
        guard case .array(let values) = list else {
            throw JWKError(.kind(expected: "an array", found: list.kind), at: "keys")
        }
        guard values.count <= Self.countLimit else { throw JWKError(.tooManyKeys(limit: Self.countLimit), at: "keys") }
        var keys: [JSONWebKey] = []
        var names: Set<[UInt8]> = []
        for (index, value) in values.enumerated() {
            do throws(JWKError) {
                keys.append(try Self.trusted(value, &names))
            } catch {
                throw error.inSet(index: index, keyID: value.keyID)
            }
        }
        self.keys = keys
    }

    /// Returns the key with a `kid`, which is compared byte by byte (RFC 7515 section 5.3).
    package func key(_ keyID: String) -> JSONWebKey? {
        self.keys.first { $0.keyID?.utf8.elementsEqual(keyID.utf8) == true }
    }

    private static func trusted(_ json: JSON, _ names: inout Set<[UInt8]>) throws(JWKError) -> JSONWebKey {
        // Checked first, so that the owner of an exposed private key learns of it whatever else is wrong.
        if case .object(let members) = json, members["d"] != nil { throw JWKError(.privatePart, at: "d") }
        let key = try JSONWebKey(json)
        guard let name = key.keyID else { throw JWKError(.missing, at: "kid") }
        guard names.insert(Array(name.utf8)).inserted else { throw JWKError(.repeated, at: "kid") }
        return key
    }
}

extension JSON {
    /// The `kid` of a key that may be invalid otherwise.
    fileprivate var keyID: String? {
        guard case .object(let members) = self, case .string(let name) = members["kid"] else { return nil }
        return name
    }
}
