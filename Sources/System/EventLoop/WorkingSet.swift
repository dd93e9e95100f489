// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The pages of memory that this process holds on to.
package enum WorkingSet {
    /// Lets go of program code and constants that were touched and may not be needed again, such as what only the start
    /// needs.
    ///
    /// The kernel maps 64 kB around every touch, so a program that has once run through its command line, its
    /// configuration and its types looks twice as large as what it goes on using. What is needed again comes back from
    /// the page cache. Only what was never written to is let go, so nothing can be lost (madvise(2), MADV_DONTNEED).
    package static func trim() {
        guard let text = TextFile.bytes(of: "/proc/self/smaps", limit: Self.limit) else { return }
        var mapping: Range<UInt>?
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            let columns = line.split(separator: " ", omittingEmptySubsequences: true)
            // A mapping begins with its addresses; what is said of it follows.
            if columns.count >= 5, columns[1].count == 4 {
                let ends = columns[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
                let isConstant = columns[1] == "r-xp" || columns[1] == "r--p"
                let isFile = columns.count == 6 && columns[5].hasPrefix("/")
                mapping = isConstant && isFile && ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
            } else if columns.count == 3, columns[0] == "Anonymous:", columns[1] == "0", let found = mapping {
                // What the dynamic linker has written to, and made read-only after it, is anonymous.
                unsafe madvise(UnsafeMutableRawPointer(bitPattern: found.lowerBound), found.count, MADV_DONTNEED)
                mapping = nil
            }
        }
    }

    /// More than the kernel says of any program of ours, in bytes.
    private static let limit = 1 << 20
}
