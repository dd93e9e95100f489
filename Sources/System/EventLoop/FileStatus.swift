// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The kind, the mode, the owner and the identity of a file, never of the file that a link leads to.
package struct FileStatus: Sendable {
    private let kind: mode_t
    private let mode: mode_t
    private let user: uid_t
    private let group: gid_t
    private let device: dev_t
    private let number: ino_t
    private let names: nlink_t

    /// Returns nil if there is no file of this name in a folder.
    ///
    /// - Parameter folder: the descriptor of the folder, or `AT_FDCWD` for the present one.
    package init?(_ name: String, in folder: Int32 = AT_FDCWD) {
        var status = stat()
        guard unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        self.init(status)
    }

    /// Returns nil if the descriptor is not open.
    package init?(descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        (self.kind, self.mode) = (status.st_mode & S_IFMT, status.st_mode & 0o777)
        (self.user, self.group) = (status.st_uid, status.st_gid)
        (self.device, self.number, self.names) = (status.st_dev, status.st_ino, status.st_nlink)
    }

    package var isRegular: Bool { self.kind == S_IFREG }

    package var isSocket: Bool { self.kind == S_IFSOCK }

    /// Whether the file has one name only.
    package var hasOneName: Bool { self.names == 1 }

    /// Whether this process's user owns the file.
    package var isOwn: Bool { self.user == geteuid() }

    /// The kind in words.
    package var words: String {
        switch self.kind {
        case S_IFREG: "a regular file"
        case S_IFDIR: "a folder"
        case S_IFLNK: "a symbolic link"
        case S_IFIFO: "a FIFO"
        case S_IFSOCK: "a socket"
        default: "a device"
        }
    }

    /// Whether both are the same file.
    package func isSame(as other: FileStatus) -> Bool { self.device == other.device && self.number == other.number }

    /// Gives an open file this mode and, as far as the user may, this owner.
    package func apply(to descriptor: Int32) {
        // Another owner clears bits of the mode, so it comes first.
        _ = fchown(descriptor, self.user, self.group)
        _ = fchmod(descriptor, self.mode)
    }
}
