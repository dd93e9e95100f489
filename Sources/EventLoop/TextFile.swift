// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Small text files: of the kernel, of the machine, of secrets.
package enum TextFile {
    /// The longest file that is read, in bytes.
    static let limit = 64 * 1024

    /// The text of a file, without the white space around it; nil where it can't be read.
    package static func read(_ path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count < Self.limit {
            var count = 0
            bytes += unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, initialised in
                count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                initialised = max(0, count)
            }
            guard count > 0 else { break }
        }
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || 0x09...0x0D ~= $0 }
        let text = bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        return String(validating: Array(text), as: UTF8.self)
    }
}
