// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The pages of memory that this process holds on to.
package enum WorkingSet {
    /// Lets go of program code that was touched and may not be needed again, such as what only the start needs.
    ///
    /// The kernel maps 64 kB around every touch, so a program that has once run through its command line, its
    /// configuration and its types looks twice as large as what it goes on using. What is needed again comes back from
    /// the page cache. Code is never written to, so nothing can be lost (madvise(2), MADV_DONTNEED).
    package static func trim() {
        for line in (TextFile.read("/proc/self/maps") ?? "").split(separator: "\n") {
            let columns = line.split(separator: " ", omittingEmptySubsequences: true)
            guard columns.count == 6, columns[1] == "r-xp", columns[5].hasPrefix("/") else { continue }
            let ends = columns[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard ends.count == 2, ends[0] < ends[1] else { continue }
            unsafe madvise(UnsafeMutableRawPointer(bitPattern: ends[0]), Int(ends[1] - ends[0]), MADV_DONTNEED)
        }
    }
}
