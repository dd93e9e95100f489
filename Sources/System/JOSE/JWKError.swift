// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// Why a key, or a set of keys, is not taken: what is wrong, and where.
package struct JWKError: Error, Hashable, Sendable {
    /// What is wrong.
    package enum Reason: Hashable, Sendable {
        /// More bytes than that.
        case tooLarge(limit: Int)
        /// More keys than that.
        case tooManyKeys(limit: Int)
        case notJSON(JSONParsingError)
        /// The member has to be there.
        case missing
        /// The member is another kind of JSON value, in words.
        case kind(expected: String, found: String)
        /// The member says something else than the one thing that is taken: `EC`, `P-256`, `sig`, `ES256`.
        case value(expected: String, found: String)
        /// An identifier is empty, longer than that, or has letters that cannot be seen.
        case identifier(limit: Int)
        /// The member is not base64url without padding.
        case notBase64URL
        /// The member has so many bytes instead of 32.
        case length(Int)
        /// The point is not on the curve.
        case notOnCurve
        /// The private part is none of this public part.
        case notAPair
        /// A private part, where keys are only trusted: who has it can sign.
        case privatePart
        /// Another key has the same identifier.
        case repeated
        /// The library found no memory or no random numbers; its own words.
        case library(String)
    }

    /// Where: `keys[2].crv`; empty for the whole.
    package internal(set) var place: String
    /// The `kid` of the key, where it has one.
    package internal(set) var keyID: String?
    /// What is wrong there.
    package let reason: Reason

    init(_ reason: Reason, at place: String = "") {
        self.place = place
        self.reason = reason
    }

    /// The same error of a key in a set.
    func inSet(index: Int, keyID: String?) -> JWKError {
        var error = self
        error.place = "keys[\(index)]" + (self.place.isEmpty ? "" : ".\(self.place)")
        error.keyID = keyID
        return error
    }
}

extension JWKError: CustomStringConvertible {
    package var description: String {
        let owner = self.keyID.map { " of the key \(quoted($0))" } ?? ""
        return self.place.isEmpty ? "\(self.reason)" : "\(self.place)\(owner): \(self.reason)"
    }
}

extension JWKError.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLarge(let limit): "it is longer than \(limit) bytes"
        case .tooManyKeys(let limit): "there are more than \(limit) keys"
        case .notJSON(let error): "\(error)"
        case .missing: "it is missing"
        case .kind(let expected, let found): "it is \(found) instead of \(expected)"
        case .value(let expected, let found): "it is \(quoted(found)); only \(quoted(expected)) is taken"
        case .identifier(let limit): "it is not 1 to \(limit) letters, digits and other printable ASCII"
        case .notBase64URL: "it is not base64url without padding"
        case .length(let count): "it has \(count) bytes instead of 32"
        case .notOnCurve: "x and y are not a point of P-256"
        case .notAPair: "it is not the private part of x and y"
        case .privatePart: "a private key does not belong among trusted keys; remove d, and make a new key"
        case .repeated: "another key has the same"
        case .library(let words): "libcjose: \(words)"
        }
    }
}

/// Returns the first 64 bytes of a stranger's text, safe to be shown.
func quoted(_ text: String) -> String { text.prefix(bytes: 64).debugDescription }
