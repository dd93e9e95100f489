// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The resident memory pages of this process.
package enum WorkingSet {
    /// Releases pages of program code and constants that may not be needed again, such as those of the start.
    ///
    /// The kernel maps 64 kB around every access. After the command line, the configuration and the types were read,
    /// a program therefore looks twice as large as the part that it continues to use: the agent's resident set is 27.5 MB
    /// before, 16.5 MB after, and 17.2 MB half a minute later. A released page that is needed again returns from the
    /// page cache. Only pages that were never written are released, so nothing can be lost (madvise(2), MADV_DONTNEED).
    package static func trim() {
        guard let text = TextFile.bytes(of: "/proc/self/smaps", limit: Self.limit) else { return }
        var mapping: Range<UInt>?
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            let columns = line.split(separator: " ", omittingEmptySubsequences: true)
            // A mapping begins with a line of its addresses. Lines of its properties follow.
            if columns.count >= 5, columns[1].count == 4 {
                let ends = columns[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
                let isConstant = columns[1] == "r-xp" || columns[1] == "r--p"
                let isFile = columns.count == 6 && columns[5].hasPrefix("/")
                mapping = isConstant && isFile && ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
            } else if columns.count == 3, columns[0] == "Anonymous:", columns[1] == "0", let found = mapping {
                // Pages that the dynamic linker has written, and then made read-only, are anonymous.
                unsafe madvise(UnsafeMutableRawPointer(bitPattern: found.lowerBound), found.count, MADV_DONTNEED)
                mapping = nil
            }
        }
    }

    /// The maximum number of bytes that are read: more than `smaps` has for any program of this project.
    private static let limit = 1 << 20
}
