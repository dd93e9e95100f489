// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// The rights of root, which a command gives up before it opens a file of the agent.
///
/// An attacker who has taken over the agent's user can put a link, or a damaged file, into the agent's directories. Opened
/// as its owner, such a file reveals nothing that its owner does not know.
package enum RootPrivileges {
    /// This process is root and could not become another user.
    package struct NotGivenUp: Error, Hashable, Sendable, CustomStringConvertible {
        package let directory: String
        /// The reason, as errno(3) has it.
        let number: Int32

        package var description: String {
            let reason = unsafe String(cString: strerror(self.number))
            return "root can't become the owner of \(self.directory): \(reason)"
        }
    }

    /// Whether ``giveUp(toOwnerOf:)`` changes anything: this is root, and the directory is another user's.
    package static func areGivenUp(toOwnerOf directory: String) -> Bool { Self.owner(of: directory) != nil }

    /// Becomes the owner of a directory until the process ends; nothing happens unless this is root and the directory is
    /// another user's.
    package static func giveUp(toOwnerOf directory: String) throws(NotGivenUp) {
        guard let owner = Self.owner(of: directory) else { return }
        guard CLinux_become_user(owner.user, owner.group) == 0 else {
            throw NotGivenUp(directory: directory, number: errno)
        }
    }

    private static func owner(of directory: String) -> (user: uid_t, group: gid_t)? {
        var status = stat()
        guard geteuid() == 0, unsafe stat(directory, &status) == 0, status.st_uid != 0 else { return nil }
        return (status.st_uid, status.st_gid)
    }
}
