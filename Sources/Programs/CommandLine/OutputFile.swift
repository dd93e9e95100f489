// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Glibc

/// The output of a command: standard output, or a file that is complete or absent.
///
/// A command that gives up root's rights before the file is complete cannot rename it, so it writes the file in place.
package final class OutputFile {
    private static let bufferLength = 1 << 16

    private let path: String?
    private let isInPlace: Bool
    private var isEmptied = false
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var isClosed = false

    /// The path of the file until it is complete.
    private var draft: String { (self.path ?? "") + ".part" }

    /// - Parameters:
    ///   - path: the file; nil for standard output. Of a link, it is the file that the link leads to.
    ///   - replacing: whether an existing file may be replaced; it keeps its mode and its owner.
    ///   - inPlace: whether the file has its final name from the start. The first write empties an existing one. It is
    ///     never a link.
    ///   - isPublic: whether every user may read a new file.
    ///   - remedy: the next step of the user if the file exists and may not be replaced.
    package init(
        _ path: String?,
        replacing: Bool,
        inPlace: Bool = false,
        isPublic: Bool = false,
        remedy: String = "another name, or remove the file."
    ) throws {
        // Standard output may be a pipe, or a file to which others append.
        self.isInPlace = inPlace && path != nil
        guard let path else {
            (self.path, self.descriptor) = (nil, StandardOutput.descriptor)
            return
        }
        guard !path.isEmpty else {
            throw CommandFailure(.usage, "the name of the output file is empty", next: "the name of a file.")
        }
        let present = FileStatus(path)
        guard replacing || present == nil else {
            throw CommandFailure(.cannotCreate, "\(path) exists already", next: remedy)
        }
        guard inPlace || present?.isRegular ?? true else {
            throw CommandFailure(
                .cannotCreate,
                "\(path) is no regular file, so it is not replaced",
                next: "another file."
            )
        }
        // A file that tells where a vehicle was is for its owner only.
        let mode: mode_t = isPublic && present == nil ? 0o644 : 0o600
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC
        if inPlace {
            self.path = path
            let isNew = replacing ? 0 : O_EXCL
            self.descriptor = unsafe open(path, flags | O_NOFOLLOW | O_NONBLOCK | isNew, mode)
        } else {
            guard present != nil || !FileStatus.isLink(path) else {
                throw CommandFailure(
                    .cannotCreate,
                    "\(path) is a link to a file that does not exist",
                    next: "the name of that file."
                )
            }
            let target = present == nil ? path : Self.absolutePath(of: path)
            self.path = target
            self.descriptor = unsafe open(target + ".part", flags | O_TRUNC, mode)
        }
        guard self.descriptor >= 0 else { throw Self.failure(path, errno) }
        // Only root may give a file to another user: without its rights, the file is the user's from now on.
        if !inPlace, let present { present.apply(to: self.descriptor) }
    }

    deinit {
        guard self.path != nil, !self.isClosed else { return }
        if !self.isInPlace {
            _ = unsafe unlink(self.draft)
        } else if self.isEmptied {
            _ = ftruncate(self.descriptor, 0)
        }
        _ = Glibc.close(self.descriptor)
    }

    package func write(_ text: String) throws { try self.write(Array(text.utf8)) }

    package func write(_ bytes: [UInt8]) throws {
        self.buffer += bytes
        if self.buffer.count >= Self.bufferLength { try self.flush() }
    }

    /// Completes the file.
    ///
    /// The file has its name, and its bytes are on the device, when this returns.
    package func close() throws {
        try self.flush()
        guard let path = self.path else { return }
        guard fsync(self.descriptor) == 0, unsafe self.isInPlace || rename(self.draft, path) == 0 else {
            throw Self.failure(path, errno)
        }
        self.isClosed = true
        _ = Glibc.close(self.descriptor)
        guard !self.isInPlace else { return }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let directory = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0, fsync(directory) == 0 else { throw Self.failure(folder, errno) }
        _ = Glibc.close(directory)
    }

    /// Writes the buffer to the file.
    package func flush() throws {
        if self.isInPlace, !self.isEmptied {
            guard ftruncate(self.descriptor, 0) == 0 else { throw Self.failure(self.path ?? "", errno) }
            self.isEmptied = true
        }
        let bytes = self.buffer
        self.buffer.removeAll(keepingCapacity: true)
        guard let path = self.path else {
            StandardOutput.write(bytes)
            return try StandardOutput.check()
        }
        if let number = Descriptor.write(bytes, to: self.descriptor) { throw Self.failure(path, number) }
    }

    /// Returns the absolute path of a file that exists; `path` itself if it has none.
    package static func absolutePath(of path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Returns the failure of a write to `name`, with this error number.
    static func failure(_ name: String, _ number: Int32) -> CommandFailure {
        let next =
            switch number {
            case ENOENT: "make its folder first, or another file."
            case EACCES, EPERM: "another file, or as a user that may write there, such as root."
            case ENOSPC, EDQUOT: "another file, or free space there."
            default: "another file."
            }
        return CommandFailure(
            .cannotCreate,
            "\(name) can't be written: \(unsafe String(cString: strerror(number)))",
            next: next
        )
    }
}
