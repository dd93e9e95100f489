// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A file under a name that ends in `.part`, which gets its own name once it is complete.
///
/// It replaces a regular file or nothing: never a link, a device, a FIFO or a folder, also if one takes the place of the
/// file meanwhile. A draft that is not published is removed.
package final class FileDraft {
    /// The descriptor of the draft.
    package let descriptor: Int32
    private let folder: Int32
    private let name: String
    private let replaces: Bool
    private var isPublished = false

    private var draft: String { Self.draft(of: self.name) }

    /// Creates the draft.
    ///
    /// - Parameters:
    ///   - path: the file; a path that ends in `/` is a folder.
    ///   - replacing: whether a regular file may be replaced. The draft then has its mode and its owner.
    ///   - mode: the mode of a new file.
    package init(of path: String, replacing: Bool, mode: UInt32) throws(FileProblem) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let name = parts.last.map(String.init) ?? ""
        let folderPath = parts.count > 1 ? String(path.dropLast(name.count)) : "."
        let folder = unsafe open(folderPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .system(errno) }
        do throws(FileProblem) {
            guard !name.isEmpty else { throw .notRegular("a folder") }
            let present = FileStatus(name, in: folder)
            if let present {
                guard present.isRegular else { throw .notRegular(present.words) }
                guard replacing else { throw .exists }
            }
            self.descriptor = try Self.create(Self.draft(of: name), in: folder, mode: present == nil ? mode : 0o600)
            // Only root may give a file to another user: without its rights, the file is the user's from now on.
            present?.apply(to: self.descriptor)
        } catch {
            _ = close(folder)
            throw error
        }
        (self.folder, self.name, self.replaces) = (folder, name, replacing)
    }

    deinit {
        if !self.isPublished, self.isOwn { _ = unsafe unlinkat(self.folder, self.draft, 0) }
        _ = close(self.descriptor)
        _ = close(self.folder)
    }

    /// Writes bytes after those that were written before.
    package func write(_ bytes: [UInt8]) throws(FileProblem) {
        if let number = Descriptor.write(bytes, to: self.descriptor) { throw .system(number) }
    }

    /// Gives the file its name.
    ///
    /// - Parameter isFlushed: whether its bytes and its name are on the device when this returns.
    package func publish(isFlushed: Bool) throws(FileProblem) {
        if isFlushed, fsync(self.descriptor) != 0 { throw .system(errno) }
        // Another user of the folder may have put a file in the place of the draft.
        guard self.isOwn else { throw .draftInUse }
        if unsafe CLinux_rename(self.folder, self.draft, self.name, 0) != 0 {
            switch errno {
            case EEXIST where self.replaces: try self.exchange()
            case EEXIST: throw .exists
            case EINVAL, ENOSYS: try self.rename()
            default: throw .system(errno)
            }
        }
        self.isPublished = true
        if isFlushed, fsync(self.folder) != 0 { throw .system(errno) }
    }

    /// Leaves the draft under its own name, because the file cannot be completed and its content is worth keeping.
    package func keep() { self.isPublished = true }

    /// Exchanges draft and file, and removes the latter; what is no regular file gets its name back.
    private func exchange() throws(FileProblem) {
        guard unsafe CLinux_rename(self.folder, self.draft, self.name, 1) == 0 else {
            guard errno == EINVAL || errno == ENOSYS else { throw .system(errno) }
            return try self.rename()
        }
        if let former = FileStatus(self.draft, in: self.folder), !former.isRegular {
            _ = unsafe CLinux_rename(self.folder, self.draft, self.name, 1)
            throw .notRegular(former.words)
        }
        _ = unsafe unlinkat(self.folder, self.draft, 0)
    }

    /// Replaces the file on a file system that cannot exchange two, such as NFS.
    private func rename() throws(FileProblem) {
        if let present = FileStatus(self.name, in: self.folder) {
            guard present.isRegular else { throw .notRegular(present.words) }
            guard self.replaces else { throw .exists }
        }
        guard unsafe renameat(self.folder, self.draft, self.folder, self.name) == 0 else { throw .system(errno) }
    }

    /// Whether the draft's name still leads to the draft.
    private var isOwn: Bool {
        guard let named = FileStatus(self.draft, in: self.folder), let own = FileStatus(descriptor: self.descriptor)
        else { return false }
        return named.isSame(as: own)
    }

    private static func draft(of name: String) -> String { name + ".part" }

    /// Creates a file, and locks it; replaces the draft that a process has left when it was killed.
    private static func create(_ name: String, in folder: Int32, mode: UInt32) throws(FileProblem) -> Int32 {
        for _ in 0..<2 {
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let descriptor = unsafe openat(folder, name, flags, mode)
            if descriptor >= 0 {
                _ = flock(descriptor, LOCK_EX | LOCK_NB)
                return descriptor
            }
            guard errno == EEXIST else { throw .system(errno) }
            let former = unsafe openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard former >= 0 else { throw .draftInUse }
            defer { _ = close(former) }
            guard let status = FileStatus(descriptor: former), status.isRegular, status.isOwn,
                flock(former, LOCK_EX | LOCK_NB) == 0
            else { throw .draftInUse }
            _ = unsafe unlinkat(folder, name, 0)
        }
        throw .draftInUse
    }
}
