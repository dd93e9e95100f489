// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CCjose

/// A key of libcjose; it exists for one use only.
@safe
final class KeyHandle {
    let pointer: OpaquePointer

    private init(_ pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    /// Imports a key; fails if the point is not on the curve or if memory runs out.
    ///
    /// libcjose does not distinguish the two errors.
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

    /// Creates a random private key.
    static func generated() throws(JWKError) -> KeyHandle {
        defer { ERR_clear_error() }
        var error = unsafe cjose_err()
        guard let pointer = unsafe cjose_jwk_create_EC_random(CJOSE_JWK_EC_P_256, &error) else {
            throw JWKError(.library(unsafe errorMessage(error)))
        }
        return unsafe KeyHandle(pointer)
    }

    /// Returns the JSON of the key, including the private part.
    func json() throws(JWKError) -> JSON {
        defer { ERR_clear_error() }
        var error = unsafe cjose_err()
        guard let text = unsafe cjose_jwk_to_json(self.pointer, true, &error) else {
            throw JWKError(.library(unsafe errorMessage(error)))
        }
        let bytes = unsafe Array(String(cString: text).utf8)
        // libcjose may use a custom allocator, so its own deallocator frees the text.
        unsafe cjose_get_dealloc()(text)
        return try JSON(jwk: bytes, sizeLimit: JSONWebKey.sizeLimit)
    }
}

/// Returns the message of an error of libcjose.
func errorMessage(_ error: cjose_err) -> String {
    unsafe error.message.map { unsafe String(cString: $0) } ?? "unknown"
}
