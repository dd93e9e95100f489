// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CCjose
import Base

/// A key as libcjose has it; it lives as long as one use of it.
@safe
final class KeyHandle {
    let pointer: OpaquePointer

    private init(_ pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    /// Nil where the point is not on the curve, or there is no memory: libcjose says the same of both.
    convenience init?(_ key: JSONWebKey) {
        defer { ERR_clear_error() }
        var members = key.required
        members["d"] = key.d.map { .string(Base64URL.encode($0)) }
        let text = JSON.object(members).text
        guard let pointer = unsafe cjose_jwk_import(text, text.utf8.count, nil) else { return nil }
        unsafe self.init(pointer)
    }

    deinit {
        _ = unsafe cjose_jwk_release(self.pointer)
    }

    /// A new private key.
    static func generated() throws(JWKError) -> KeyHandle {
        defer { ERR_clear_error() }
        var error = unsafe cjose_err()
        guard let pointer = unsafe cjose_jwk_create_EC_random(CJOSE_JWK_EC_P_256, &error) else {
            throw JWKError(.library(unsafe words(of: error)))
        }
        return unsafe KeyHandle(pointer)
    }

    /// All of the key, the private part too.
    func json() throws(JWKError) -> JSON {
        defer { ERR_clear_error() }
        var error = unsafe cjose_err()
        guard let text = unsafe cjose_jwk_to_json(self.pointer, true, &error) else {
            throw JWKError(.library(unsafe words(of: error)))
        }
        let bytes = unsafe Array(String(cString: text).utf8)
        // What it was made with: libcjose may have been told to use another allocator.
        unsafe cjose_get_dealloc()(text)
        return try JSON(jwk: bytes, sizeLimit: JSONWebKey.sizeLimit)
    }
}

/// What libcjose says of an error.
func words(of error: cjose_err) -> String {
    unsafe error.message.map { unsafe String(cString: $0) } ?? "unknown"
}
