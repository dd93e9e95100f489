// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The kind, the mode and the owner of a file.
struct FileStatus {
    private let status: stat

    /// Returns nil if there is no file at the path, or only a link that leads nowhere.
    init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.status = status
    }

    var isRegular: Bool { self.status.st_mode & S_IFMT == S_IFREG }

    /// Gives an open file this mode and, as far as the user may, this owner.
    func apply(to descriptor: Int32) {
        // Another owner clears bits of the mode, so it comes first.
        _ = fchown(descriptor, self.status.st_uid, self.status.st_gid)
        _ = fchmod(descriptor, self.status.st_mode & 0o777)
    }

    /// Whether the path itself is a symbolic link.
    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
}
