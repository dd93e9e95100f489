// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Small text files: kernel files, machine facts, secrets.
package enum TextFile {
    /// The maximum number of bytes that are read.
    static let limit = 64 * 1024

    /// Returns the text of a file, without the white space around it; nil if the file cannot be read.
    package static func read(_ path: String) -> String? {
        guard let bytes = Self.bytes(of: path, limit: Self.limit) else { return nil }
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || 0x09...0x0D ~= $0 }
        let text = bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        return String(validating: Array(text), as: UTF8.self)
    }

    /// Returns the first `limit` bytes of a file; nil if the file cannot be read.
    package static func bytes(of path: String, limit: Int) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        return Self.bytes(of: descriptor, limit: limit)
    }

    /// Returns the reason why a file or a directory cannot be opened for reading; nil if it can.
    package static func problem(reading path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return unsafe String(cString: strerror(errno)) }
        _ = close(descriptor)
        return nil
    }

    /// Returns the first `limit` bytes of a file in a directory to which other users may write.
    ///
    /// Only a regular file is read, never through a link, and without blocking. Returns nil for any other file, and if
    /// the file cannot be read.
    package static func bytes(of name: String, in directory: String, limit: Int) -> [UInt8]? {
        let folder = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return nil }
        defer { _ = close(folder) }
        let descriptor = unsafe openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        guard FileStatus(descriptor: descriptor)?.isRegular == true else { return nil }
        return Self.bytes(of: descriptor, limit: limit)
    }

    private static func bytes(of descriptor: Int32, limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            var count = 0
            bytes += unsafe [UInt8](unsafeUninitializedCapacity: min(65_536, limit - bytes.count)) {
                buffer,
                initialized in
                count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                initialized = max(0, count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
        }
        return bytes
    }

    /// The effect of a write on the present content of a file.
    package enum Writing: Sendable {
        case appending, replacing
    }

    /// Writes to a file that only its owner may read; creates the file if it does not exist.
    ///
    /// - Returns: whether all bytes were written.
    package static func write(_ bytes: [UInt8], to path: String, how: Writing) -> Bool {
        let end = how == .appending ? O_APPEND : O_TRUNC
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | end, 0o600)
        guard descriptor >= 0 else { return false }
        defer { _ = close(descriptor) }
        return Descriptor.write(bytes, to: descriptor) == nil
    }

    /// Creates or replaces a file that only its owner may read, as a whole: it has either the new content or the old.
    ///
    /// - Parameter isFlushed: whether that also holds after a power cut. The flush waits for the disk.
    /// - Returns: the reason of a failure; nil on success.
    package static func writeAtomically(_ bytes: [UInt8], to path: String, isFlushed: Bool = true) -> String? {
        let draft = path + ".new"
        self.remove(draft)
        defer { self.remove(draft) }
        guard self.write(bytes, to: draft, how: .replacing), !isFlushed || self.flush(draft),
            unsafe rename(draft, path) == 0
        else { return unsafe String(cString: strerror(errno)) }
        guard isFlushed else { return nil }
        let directory = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        return self.flush(directory.isEmpty ? "/" : directory) ? nil : unsafe String(cString: strerror(errno))
    }

    /// Creates or replaces a regular file that every user may read, so that readers see the new content or the old.
    ///
    /// The file is not flushed to the disk.
    ///
    /// - Returns: the reason of a failure; nil on success.
    package static func publish(_ bytes: [UInt8], at path: String) -> String? {
        do throws(FileProblem) {
            let draft = try FileDraft(of: path, replacing: true, mode: 0o644)
            try draft.write(bytes)
            guard fchmod(draft.descriptor, 0o644) == 0 else { throw .system(errno) }
            try draft.publish(isFlushed: false)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Flushes a file, or the names in a directory, to the disk; returns whether that succeeded.
    private static func flush(_ path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { _ = close(descriptor) }
        return fsync(descriptor) == 0
    }

    /// Renames a file, and replaces a file at the new path; does nothing if the file does not exist.
    package static func move(_ path: String, to other: String) {
        _ = unsafe rename(path, other)
    }

    /// Removes a file; does nothing if the file does not exist.
    package static func remove(_ path: String) {
        _ = unsafe unlink(path)
    }

    /// The largest number of names that are read of a directory.
    static let namesLimit = 100_000

    /// Returns the names in a directory in order, without hidden ones; nil if it cannot be read.
    package static func names(in directory: String) -> [String]? {
        guard let stream = unsafe opendir(directory) else { return nil }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while names.count < Self.namesLimit, let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
                unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// Whether a directory exists at this path.
    package static func isDirectory(_ path: String) -> Bool { Self.kind(of: path) == S_IFDIR }

    /// Whether a regular file exists at this path, directly or behind a link.
    package static func isRegular(_ path: String) -> Bool { Self.kind(of: path) == S_IFREG }

    private static func kind(of path: String) -> mode_t? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}
