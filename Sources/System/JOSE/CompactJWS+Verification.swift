// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CCjose

extension CompactJWS {
    /// What a message says, by whom.
    package struct Verified: Hashable, Sendable {
        /// What was signed.
        package let payload: [UInt8]
        /// The header, which was signed too.
        package let header: JWSHeader
        /// The trusted key that has signed it, with what is said about it where it is trusted.
        package let key: JSONWebKey
    }

    /// Verifies the message with the one trusted key that it names (RFC 7515 section 5.2).
    package func verify(with keys: JSONWebKeySet) throws(JWSError) -> Verified {
        try self.checkHeader()
        guard let name = self.header.keyID else { throw .missingKeyID }
        guard let key = keys.key(name) else { throw .unknownKey(name) }
        return try self.verify(with: key)
    }

    /// Verifies the message with one key, whatever name the header has.
    package func verify(with key: JSONWebKey) throws(JWSError) -> Verified {
        try self.checkHeader()
        // r and s, 32 bytes each: libcjose 0.6 would split any length in the middle.
        guard self.signature.count == 64 else { throw .signature }
        // What OpenSSL leaves in the thread's queue would be found by the next who uses TLS in this thread.
        defer { ERR_clear_error() }
        guard let handle = KeyHandle(key) else { throw .library("the key is not taken") }
        var error = unsafe cjose_err()
        let message = unsafe self.text.withUnsafeBytes { text in
            unsafe cjose_jws_import(text.assumingMemoryBound(to: CChar.self).baseAddress, text.count, &error)
        }
        guard let message = unsafe message else { throw .library(unsafe words(of: error)) }
        defer { unsafe cjose_jws_release(message) }
        let isVerified = withExtendedLifetime(handle) {
            unsafe cjose_jws_verify(message, handle.pointer, nil)
        }
        guard isVerified else { throw .signature }
        // What was verified is the text, and the text has one meaning.
        return Verified(payload: self.unverifiedPayload, header: self.header, key: key)
    }

    /// The algorithm is ours to choose, never the header's (RFC 8725 section 3.1).
    private func checkHeader() throws(JWSError) {
        if let name = self.header.refusedMember { throw .refusedMember(name) }
        guard self.header.algorithm == Self.algorithm else { throw .algorithm(self.header.algorithm) }
    }
}
