// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
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
    ///   - path: the file; nil for standard output.
    ///   - replacing: whether an existing file may be replaced.
    ///   - inPlace: whether the file has its final name from the start. The first write empties an existing one.
    ///   - isPublic: whether every user may read the file.
    ///   - remedy: the next step of the user if the file exists and may not be replaced.
    package init(
        _ path: String?,
        replacing: Bool,
        inPlace: Bool = false,
        isPublic: Bool = false,
        remedy: String = "another name, or remove the file."
    ) throws {
        // Standard output may be a pipe, or a file to which others append.
        (self.path, self.isInPlace) = (path, inPlace && path != nil)
        guard let path else {
            self.descriptor = 1
            return
        }
        guard unsafe replacing || access(path, F_OK) != 0 else {
            throw CommandFailure(.cannotCreate, "\(path) exists already", next: remedy)
        }
        guard unsafe inPlace || TextFile.isRegular(path) || access(path, F_OK) != 0 else {
            throw CommandFailure(
                .cannotCreate,
                "\(path) is no regular file, so it is not replaced",
                next: "another file."
            )
        }
        // A file that tells where a vehicle was is for its owner only.
        let mode: mode_t = isPublic ? 0o644 : 0o600
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC
        if inPlace {
            let isNew = replacing ? 0 : O_EXCL
            self.descriptor = unsafe open(path, flags | O_NOFOLLOW | O_NONBLOCK | isNew, mode)
        } else {
            self.descriptor = unsafe open(path + ".part", flags | O_TRUNC, mode)
        }
        guard self.descriptor >= 0 else { throw Self.failure(path) }
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
            throw Self.failure(path)
        }
        self.isClosed = true
        _ = Glibc.close(self.descriptor)
        guard !self.isInPlace else { return }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let directory = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0, fsync(directory) == 0 else { throw Self.failure(folder) }
        _ = Glibc.close(directory)
    }

    /// Writes the buffer to the file.
    package func flush() throws {
        if self.isInPlace, !self.isEmptied {
            guard ftruncate(self.descriptor, 0) == 0 else { throw Self.failure(self.path ?? "") }
            self.isEmptied = true
        }
        var rest = self.buffer[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(self.descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(self.path ?? "standard output") }
            rest = rest.dropFirst(count)
        }
        self.buffer.removeAll(keepingCapacity: true)
    }

    /// Returns the absolute path of a file that exists; `path` itself if it has none.
    package static func absolutePath(of path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    private static func failure(_ path: String) -> CommandFailure {
        let number = errno
        return CommandFailure(
            .cannotCreate,
            "\(path) can't be written: \(unsafe String(cString: strerror(number)))",
            next: number == ENOENT ? "make its folder first, or another file." : "another file, or free space there."
        )
    }
}
