// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
package import JOSE

/// The signer of a command.
package struct Signer: Hashable, Sendable {
    /// The name of the signer, from the file of trusted keys.
    package let issuer: String
    /// The rights of the signer.
    package let role: Role

    package init(issuer: String, role: Role) {
        self.issuer = issuer
        self.role = role
    }
}

/// The keys whose signatures count, each with its role (RFC 7517 section 5).
///
/// Beside the key itself, an entry of the set has `roles`, of which the highest counts. It may have `iss`, the issuer,
/// which is the `kid` otherwise. Several keys may belong to one issuer while one key replaces another.
package struct TrustedKeys: Hashable, Sendable {
    package let keys: JSONWebKeySet
    private let signers: [String: Signer]

    /// The empty set: no signature counts.
    package static let none = TrustedKeys()

    private init() {
        (self.keys, self.signers) = (.empty, [:])
    }

    /// Reads a JSON Web Key Set.
    package init(parsing bytes: [UInt8]) throws(TrustedKeysError) {
        do throws(JWKError) {
            self.keys = try JSONWebKeySet(parsing: bytes)
        } catch {
            throw TrustedKeysError(error.description)
        }
        var signers: [String: Signer] = [:]
        for (index, key) in self.keys.keys.enumerated() {
            guard let name = key.keyID else { continue }
            signers[name] = try Self.signer(key, name, at: "keys[\(index)] (\(name))")
        }
        self.signers = signers
    }

    private static func signer(
        _ key: JSONWebKey,
        _ name: String,
        at place: String
    ) throws(TrustedKeysError) -> Signer {
        let words = Role.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        guard case .array(let list) = key.members["roles"], !list.isEmpty else {
            throw TrustedKeysError("\(place).roles: expected an array of \(words)")
        }
        var highest = Role.observer
        for element in list {
            guard case .string(let text) = element, let role = Role(rawValue: text) else {
                throw TrustedKeysError(
                    "\(place).roles: a role is one of \(words), not \(element.text.prefix(bytes: 40))"
                )
            }
            highest = max(highest, role)
        }
        switch key.members["iss"] {
        case nil: return Signer(issuer: name, role: highest)
        case .string(let issuer) where JSONWebKey.isIdentifier(issuer): return Signer(issuer: issuer, role: highest)
        default: throw TrustedKeysError("\(place).iss: expected who has the key, in 1 to 128 printable ASCII letters")
        }
    }

    /// Returns the signer whose key verified a signature.
    func signer(_ key: JSONWebKey) -> Signer? {
        key.keyID.flatMap { self.signers[$0] }
    }
}

/// An error in the file of trusted keys, with its place.
package struct TrustedKeysError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
