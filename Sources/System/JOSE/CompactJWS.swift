// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// A signed message as one line of text: header, payload and signature, each in base64url (RFC 7515 section 7.1).
///
/// Reading one says nothing about who wrote it: that is what ``verify(with:)-(JSONWebKeySet)`` is for. There is one text
/// for each message and signature. But who has the key can sign the same message again, and anybody can make a second
/// signature of a first one (n − s for s): what must not be done twice needs an identifier in its payload.
package struct CompactJWS: Hashable, Sendable {
    /// How long the text may be, in bytes.
    package static let sizeLimit = 64 * 1024
    /// The one algorithm: ECDSA with P-256 and SHA-256 (RFC 7518 section 3.4).
    package static let algorithm = "ES256"

    /// What the header says, unverified.
    package let header: JWSHeader
    /// What the message says, unverified.
    package let unverifiedPayload: [UInt8]
    let text: [UInt8]
    let signature: [UInt8]

    /// Whether bytes that are JSON or a signed message are the latter, by the first of them.
    ///
    /// A header is a JSON object, and `{` becomes `e` in base64url, whatever follows. No JSON text begins with `e`.
    package static func isLikely(_ bytes: [UInt8]) -> Bool {
        bytes.first == UInt8(ascii: "e")
    }

    /// Takes a message apart, and trusts nothing of it.
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
