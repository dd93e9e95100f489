// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// A signed message as one line of text: header, payload and signature, each in base64url (RFC 7515 section 7.1).
///
/// A parsed message is untrusted until ``verify(with:)-(JSONWebKeySet)`` has verified it. Each pair of a message and a
/// signature has exactly one text. But the owner of the key can sign the same message again, and anyone can derive a
/// second valid signature from the first (n − s for s). So a command that must not run twice needs an identifier in its
/// payload.
package struct CompactJWS: Hashable, Sendable {
    /// The longest text, in bytes.
    package static let sizeLimit = 64 * 1024
    /// The only supported algorithm: ECDSA with P-256 and SHA-256 (RFC 7518 section 3.4).
    package static let algorithm = "ES256"

    /// The header, unverified.
    package let header: JWSHeader
    /// The payload, unverified.
    package let unverifiedPayload: [UInt8]
    let text: [UInt8]
    let signature: [UInt8]

    /// Whether bytes that are either JSON or a signed message are a signed message, judged by the first byte.
    ///
    /// A header is a JSON object, and its `{` becomes `e` in base64url, whatever follows. No JSON text starts with `e`.
    package static func isLikely(_ bytes: [UInt8]) -> Bool {
        bytes.first == UInt8(ascii: "e")
    }

    /// Splits a message into its parts without verifying it.
    package init(parsing bytes: [UInt8]) throws(JWSError) {
        guard bytes.count <= Self.sizeLimit else { throw .tooLarge(limit: Self.sizeLimit) }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .notCompact(parts: parts.count) }
        let header = try Self.decode(parts[0], .header)
        self.unverifiedPayload = try Self.decode(parts[1], .payload)
        self.signature = try Self.decode(parts[2], .signature)
        self.header = try JWSHeader(parsing: header)
        self.text = bytes
    }

    private static func decode(_ part: ArraySlice<UInt8>, _ name: JWSError.Part) throws(JWSError) -> [UInt8] {
        guard !part.isEmpty else { throw .empty(name) }
        guard let bytes = Base64URL.decode(part) else { throw .notBase64URL(name) }
        return bytes
    }
}
