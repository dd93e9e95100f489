// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A fingerprint that detects a change of a file without reading it: its identity, size and modification time.
package struct FileStamp: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64
    /// The size in bytes.
    package let size: Int64
    private let seconds: Int64
    private let nanoseconds: Int64

    /// Takes the stamp of a file, through links; nil if the file does not exist or cannot be reached.
    package init?(of path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.device = UInt64(status.st_dev)
        self.number = UInt64(status.st_ino)
        self.size = Int64(status.st_size)
        self.seconds = Int64(status.st_mtim.tv_sec)
        self.nanoseconds = Int64(status.st_mtim.tv_nsec)
    }

    /// Whether both are of the same file, whatever its content was at the time.
    package func isSameFile(as other: FileStamp) -> Bool { self.device == other.device && self.number == other.number }
}
