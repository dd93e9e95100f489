// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// Public keys that are trusted, each with a name (RFC 7517 section 5).
///
/// Nothing is passed over: RFC 7517 lets a reader ignore keys of kinds that it does not know, but then a key that was
/// meant to be trusted would be missing without a word.
package struct JSONWebKeySet: Hashable, Sendable {
    /// How many keys there may be.
    package static let countLimit = 256
    /// How long the JSON of a set may be, in bytes.
    package static let sizeLimit = 256 * 1024

    /// The keys, in the order of the file; each has a ``JSONWebKey/keyID`` and no private part.
    package let keys: [JSONWebKey]

    /// The set that trusts nobody.
    package static let empty = JSONWebKeySet(keys: [])

    private init(keys: [JSONWebKey]) {
        self.keys = keys
    }

    /// Reads a set, strictly.
    ///
    /// What else is in the set than `keys` says nothing here, and is left alone.
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

    /// The key with a name; names are the same if they are byte by byte (RFC 7515 section 5.3).
    package func key(_ keyID: String) -> JSONWebKey? {
        self.keys.first { $0.keyID?.utf8.elementsEqual(keyID.utf8) == true }
    }

    private static func trusted(_ json: JSON, _ names: inout Set<[UInt8]>) throws(JWKError) -> JSONWebKey {
        // Before all else, so that whoever gives a private key away is told so.
        if case .object(let members) = json, members["d"] != nil { throw JWKError(.privatePart, at: "d") }
        let key = try JSONWebKey(json)
        guard let name = key.keyID else { throw JWKError(.missing, at: "kid") }
        guard names.insert(Array(name.utf8)).inserted else { throw JWKError(.repeated, at: "kid") }
        return key
    }
}

extension JSON {
    /// The name of a key of which nothing else may be right.
    fileprivate var keyID: String? {
        guard case .object(let members) = self, case .string(let name) = members["kid"] else { return nil }
        return name
    }
}
