// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The reason and the place for which a key or a set of keys is refused.
package struct JWKError: Error, Hashable, Sendable {
    /// The reasons for which a key or a set is refused.
    package enum Reason: Hashable, Sendable {
        /// The JSON has more bytes than the limit.
        case tooLarge(limit: Int)
        /// The set has more keys than the limit.
        case tooManyKeys(limit: Int)
        case notJSON(JSONParsingError)
        /// A required member is missing.
        case missing
        /// The member has the wrong JSON type; both types in words.
        case kind(expected: String, found: String)
        /// The member differs from the only supported value: `EC`, `P-256`, `sig`, `ES256`.
        case value(expected: String, found: String)
        /// An identifier is empty, longer than the limit, or not printable ASCII.
        case identifier(limit: Int)
        /// The member is not base64url without padding.
        case notBase64URL
        /// The member has this number of bytes instead of 32.
        case length(Int)
        /// The point is not on the curve.
        case notOnCurve
        /// The private part does not belong to the public part.
        case notAPair
        /// A set of trusted keys has a private part, with which any reader of the set could sign.
        case privatePart
        /// Another key has the same identifier.
        case repeated
        /// libcjose ran out of memory or of random numbers; its error message.
        case library(String)
    }

    /// The path of the wrong member, such as `keys[2].crv`; empty for the whole JSON.
    package internal(set) var place: String
    /// The `kid` of the key, if it has one.
    package internal(set) var keyID: String?
    /// The reason for which it is refused.
    package let reason: Reason

    init(_ reason: Reason, at place: String = "") {
        self.place = place
        self.reason = reason
    }

    /// Returns this error with the place of the key in a set.
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
        case .kind(let expected, let found): "expected \(expected), found \(found)"
        case .value(let expected, let found): "\(quoted(found)) is not supported. Try: \(quoted(expected))"
        case .identifier(let limit): "it is not 1 to \(limit) characters of printable ASCII"
        case .notBase64URL: "it is not base64url without padding. Try: \(Self.newKey)"
        case .length(let count): "it has \(count) bytes instead of 32. Try: \(Self.newKey)"
        case .notOnCurve: "x and y are not a point of the curve P-256. Try: \(Self.newKey)"
        case .notAPair: "d is not the private part of x and y. Try: \(Self.newKey)"
        case .privatePart: "a set of trusted keys must not have a private key. Try: remove d, and create a new key"
        case .repeated: "another key has the same identifier. Try: remove one of the two"
        case .library(let message): "the library libcjose refuses the key: \(message). Try: \(Self.newKey)"
        }
    }

    /// The next step if a key is damaged.
    private static let newKey = "create the key with \"obd-remote key\""
}

/// Returns the first 64 bytes of an untrusted text, quoted and escaped.
func quoted(_ text: String) -> String { text.prefix(bytes: 64).debugDescription }
