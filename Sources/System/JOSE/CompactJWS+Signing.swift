// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CCjose

extension CompactJWS {
    /// Signs a message with a private key that has a `kid` (RFC 7515 section 5.1).
    ///
    /// - Parameters:
    ///   - payload: the bytes to sign; not empty.
    ///   - type: the media type of the message, for `typ` in the header.
    /// - Returns: the text, which consists of base64url letters and two dots.
    package static func sign(
        _ payload: [UInt8],
        with key: JSONWebKey,
        type: String? = nil
    ) throws(JWSError) -> String {
        guard !payload.isEmpty else { throw .empty(.payload) }
        guard payload.count <= Self.sizeLimit else { throw .tooLarge(limit: Self.sizeLimit) }
        guard key.isPrivate else { throw .publicKey }
        guard let name = key.keyID else { throw .missingKeyID }
        defer { ERR_clear_error() }
        var error = unsafe cjose_err()
        guard let handle = KeyHandle(key), let header = unsafe cjose_header_new(&error) else {
            throw .library("no memory")
        }
        defer { unsafe cjose_header_release(header) }
        for (member, value) in [("alg", Self.algorithm), ("kid", name), ("typ", type)] {
            guard let value else { continue }
            guard unsafe cjose_header_set(header, member, value, &error) else {
                throw .library(unsafe errorMessage(error))
            }
        }
        let message = unsafe withExtendedLifetime(handle) {
            unsafe cjose_jws_sign(handle.pointer, header, payload, payload.count, &error)
        }
        guard let message = unsafe message else { throw .library(unsafe errorMessage(error)) }
        defer { unsafe cjose_jws_release(message) }
        var text: UnsafePointer<CChar>?
        guard unsafe cjose_jws_export(message, &text, &error), let text = unsafe text else {
            throw .library(unsafe errorMessage(error))
        }
        let compact = unsafe String(cString: text)
        guard compact.utf8.count <= Self.sizeLimit else { throw .tooLarge(limit: Self.sizeLimit) }
        return compact
    }
}
