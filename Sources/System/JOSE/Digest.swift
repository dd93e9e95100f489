// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CCjose

/// SHA-256 (FIPS 180-4).
package enum Digest {
    /// Returns the hash of `bytes`, 32 bytes.
    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { buffer, count in
            unsafe SHA256(bytes, bytes.count, buffer.baseAddress)
            count = buffer.count
        }
    }

    /// Returns the HMAC-SHA-256 of `message`, 32 bytes, which only the owner of the key can compute (RFC 2104).
    package static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { buffer, count in
            var length: UInt32 = 0
            unsafe HMAC(
                EVP_sha256(),
                key,
                Int32(key.count),
                message,
                message.count,
                buffer.baseAddress,
                &length
            )
            count = Int(length)
        }
    }
}
