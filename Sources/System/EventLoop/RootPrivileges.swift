// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// The privileges of root, which a command drops before it opens a file of the agent.
///
/// An attacker who controls the agent's user can put a link, or a damaged file, into the agent's directories. Opened
/// with the owner's rights, such a file reveals only what its owner can read anyway.
package enum RootPrivileges {
    /// The error of a process that is root and could not become another user.
    package struct NotDropped: Error, Hashable, Sendable, CustomStringConvertible {
        package let directory: String
        /// The reason, as an error number of errno(3).
        let number: Int32

        package var description: String {
            let reason = unsafe String(cString: strerror(self.number))
            return "root cannot become the owner of \(self.directory): \(reason)"
        }
    }

    /// Whether ``drop(toOwnerOf:)`` has an effect: this process is root, and another user owns the directory.
    package static func mustBeDropped(toOwnerOf directory: String) -> Bool { Self.owner(of: directory) != nil }

    /// Becomes the owner of a directory until the process ends.
    ///
    /// Nothing happens if this process is not root, or root owns the directory.
    package static func drop(toOwnerOf directory: String) throws(NotDropped) {
        guard let owner = Self.owner(of: directory) else { return }
        guard CLinux_become_user(owner.user, owner.group) == 0 else {
            throw NotDropped(directory: directory, number: errno)
        }
    }

    private static func owner(of directory: String) -> (user: uid_t, group: gid_t)? {
        var status = stat()
        guard geteuid() == 0, unsafe stat(directory, &status) == 0, status.st_uid != 0 else { return nil }
        return (status.st_uid, status.st_gid)
    }
}
