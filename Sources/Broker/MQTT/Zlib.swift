// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// Compression in the zlib format (RFC 1950), for which every programming language has a decoder.
package enum Zlib {
    /// Compresses `bytes` at zlib's best level; returns `nil` if memory runs out.
    ///
    /// The result carries a checksum (Adler-32). Repetitions up to 32 KiB apart are found.
    package static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        var status = Z_MEM_ERROR
        let result = unsafe [UInt8](
            unsafeUninitializedCapacity: Int(compressBound(uLong(bytes.count)))
        ) { buffer, count in
            var length = uLongf(buffer.count)
            status = unsafe compress2(buffer.baseAddress, &length, bytes, uLong(bytes.count), Z_BEST_COMPRESSION)
            count = status == Z_OK ? Int(length) : 0
        }
        return status == Z_OK ? result : nil
    }

    /// Expands the output of ``compressed(_:)``; returns `nil` if it is damaged or expands to more than `limit` bytes.
    package static func expanded(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        guard limit > 0 else { return nil }
        // Most telemetry expands to a few times its length. If the buffer is too small, a larger one is tried.
        var room = min(max(bytes.count, 1) * 8, limit)
        while true {
            var status = Z_MEM_ERROR
            let result = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                var length = uLongf(buffer.count)
                status = unsafe uncompress(buffer.baseAddress, &length, bytes, uLong(bytes.count))
                count = status == Z_OK ? Int(length) : 0
            }
            if status == Z_OK { return result }
            guard status == Z_BUF_ERROR, room < limit else { return nil }
            room = min(room * 4, limit)
        }
    }
}
