// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CCjose

extension CompactJWS {
    /// The content of a verified message, with the key that signed it.
    package struct Verified: Hashable, Sendable {
        /// The signed payload.
        package let payload: [UInt8]
        /// The header, which is signed too.
        package let header: JWSHeader
        /// The trusted key that signed the message, with the members that the key set has for it.
        package let key: JSONWebKey
    }

    /// Verifies the message with the trusted key that its header names (RFC 7515 section 5.2).
    package func verify(with keys: JSONWebKeySet) throws(JWSError) -> Verified {
        try self.checkHeader()
        guard let name = self.header.keyID else { throw .missingKeyID }
        guard let key = keys.key(name) else { throw .unknownKey(name) }
        return try self.verify(with: key)
    }

    /// Verifies the message with one key, without regard to the `kid` in the header.
    package func verify(with key: JSONWebKey) throws(JWSError) -> Verified {
        try self.checkHeader()
        // r and s have 32 bytes each. libcjose 0.6 would accept any length and split it in the middle.
        guard self.signature.count == 64 else { throw .signature }
        // TLS in this thread would report errors that OpenSSL leaves in the thread's error queue.
        defer { ERR_clear_error() }
        guard let handle = KeyHandle(key) else { throw .library("the key could not be imported") }
        var error = unsafe cjose_err()
        let message = unsafe self.text.withUnsafeBytes { text in
            unsafe cjose_jws_import(text.assumingMemoryBound(to: CChar.self).baseAddress, text.count, &error)
        }
        guard let message = unsafe message else { throw .library(unsafe errorMessage(error)) }
        defer { unsafe cjose_jws_release(message) }
        let isVerified = withExtendedLifetime(handle) {
            unsafe cjose_jws_verify(message, handle.pointer, nil)
        }
        guard isVerified else { throw .signature }
        // The verified bytes are the text, and the text decodes in one way only.
        return Verified(payload: self.unverifiedPayload, header: self.header, key: key)
    }

    /// Refuses every algorithm but ``algorithm``, so that the header cannot choose one (RFC 8725 section 3.1).
    private func checkHeader() throws(JWSError) {
        if let name = self.header.refusedMember { throw .refusedMember(name) }
        guard self.header.algorithm == Self.algorithm else { throw .algorithm(self.header.algorithm) }
    }
}
