// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CSystemd
import EventLoop
import Glibc

/// Writes entries with fields to the journal (sd_journal_send(3)).
package enum Journal {
    /// A field of an entry: its name (A-Z, 0-9 and _) and its value.
    package typealias Field = (name: String, value: String)

    /// Whether standard error is connected to the journal, so that entries can be written directly.
    package static var isStandardError: Bool {
        guard let text = environmentVariable("JOURNAL_STREAM") else { return false }
        let numbers = text.split(separator: ":").map { UInt64($0) }
        var status = stat()
        guard numbers.count == 2, unsafe fstat(2, &status) == 0 else { return false }
        return numbers == [UInt64(status.st_dev), UInt64(status.st_ino)]
    }

    /// Writes an entry.
    ///
    /// - Returns: whether the journal accepted the entry.
    package static func write(_ fields: [Field]) -> Bool {
        // All fields are in one buffer, which does not move while the vectors point into it.
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for field in fields {
            bytes += Array("\(field.name)=\(field.value)".utf8)
            ends.append(bytes.count)
        }
        return unsafe bytes.withUnsafeMutableBytes { buffer in
            var start = 0
            var vectors: [iovec] = unsafe []
            for end in ends {
                let base = unsafe buffer.baseAddress.map { unsafe $0 + start }
                unsafe vectors.append(iovec(iov_base: base, iov_len: end - start))
                start = end
            }
            return unsafe sd_journal_sendv(&vectors, Int32(vectors.count)) == 0
        }
    }
}
