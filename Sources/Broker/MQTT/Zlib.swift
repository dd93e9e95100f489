// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// The zlib format (RFC 1950), which every language can read.
package enum Zlib {
    /// `bytes` as small as zlib makes them; nil where it finds no memory.
    ///
    /// The result carries a checksum (Adler-32). What repeats itself within 32 KiB is found.
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

    /// What ``compressed(_:)`` was given; nil where `bytes` are damaged, or would become more than `limit`.
    package static func expanded(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        guard limit > 0 else { return nil }
        // Most of what is compressed becomes a few times as long; what does not is tried with more room.
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
