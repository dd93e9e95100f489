// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A directory that a process has for itself, for as long as this lives.
///
/// Whatever ends the process lets go of it (flock(2)).
package final class DirectoryLock: Sendable {
    /// Somebody else has the directory.
    package struct InUse: Error, Hashable, Sendable, CustomStringConvertible {
        package let path: String
        /// The process that has it, as far as that can be found out.
        package let holder: Int32?

        package var description: String {
            let name = self.holder.flatMap { TextFile.read("/proc/\($0)/comm") }
            let who = self.holder.map { "process \($0)" + (name.map { " (\($0))" } ?? "") } ?? "another process"
            return "\(self.path) is in use by \(who)"
        }
    }

    private let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        _ = close(self.descriptor)
    }

    /// Takes a directory.
    ///
    /// - Returns: nil where there is no such directory, or nothing that can be locked.
    package static func take(_ path: String) throws(InUse) -> DirectoryLock? {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let lock = DirectoryLock(descriptor: descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return lock }
        guard errno == EWOULDBLOCK else { return nil }
        throw InUse(path: path, holder: Self.holder(of: descriptor))
    }

    /// Whom the kernel's list of locks names (proc_locks(5)).
    private static func holder(of descriptor: Int32) -> Int32? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, let list = TextFile.read("/proc/locks") else { return nil }
        for line in list.split(separator: "\n") {
            // Number, FLOCK, ADVISORY, WRITE, process, major:minor:inode, range.
            let words = line.split(separator: " ")
            if words.count > 5, words[1] == "FLOCK", words[5].hasSuffix(":\(status.st_ino)") { return Int32(words[4]) }
        }
        return nil
    }
}
