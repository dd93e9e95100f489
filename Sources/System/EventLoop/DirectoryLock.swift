// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An exclusive lock of a directory, or of a file beside what it protects, for the lifetime of this object.
///
/// The lock also ends with the process, however the process ends (flock(2)).
package final class DirectoryLock: Sendable {
    /// Another process has locked the directory or the file.
    package struct InUse: Error, Hashable, Sendable, CustomStringConvertible {
        package let path: String
        /// The process that holds the lock; nil if it is not known.
        package let holder: Int32?

        package var description: String {
            let name = self.holder.flatMap { TextFile.read("/proc/\($0)/comm") }
            let process = self.holder.map { "process \($0)" + (name.map { " (\($0))" } ?? "") } ?? "another process"
            return "\(self.path) is in use by \(process)"
        }
    }

    private let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        // A child process has its own copy of the descriptor between fork and exec. Closing ours alone would leave the
        // lock to that copy (flock(2)).
        _ = flock(self.descriptor, LOCK_UN)
        _ = close(self.descriptor)
    }

    /// Locks a directory.
    ///
    /// - Returns: the lock; nil if the directory does not exist or cannot be locked.
    package static func acquire(_ path: String) throws(InUse) -> DirectoryLock? {
        try self.lock(path, unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    }

    /// Locks a file of its own, which is created if it is missing, instead of a whole directory.
    ///
    /// - Returns: the lock; nil if the file cannot be created or locked.
    package static func acquire(file path: String) throws(InUse) -> DirectoryLock? {
        try self.lock(path, unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600))
    }

    private static func lock(_ path: String, _ descriptor: Int32) throws(InUse) -> DirectoryLock? {
        guard descriptor >= 0 else { return nil }
        let lock = DirectoryLock(descriptor: descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return lock }
        guard errno == EWOULDBLOCK else { return nil }
        throw InUse(path: path, holder: Self.holder(of: descriptor))
    }

    /// Returns the holder in the kernel's list of locks (proc_locks(5)).
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
