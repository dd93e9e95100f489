// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Glibc

/// The output of a command: standard output, or a regular file that is complete or absent.
///
/// A link, a device, a FIFO or a folder is neither written nor replaced: for these, the shell redirects standard output.
/// A command that gives up root's rights before the file is complete cannot rename it, so it writes the file in place.
package final class OutputFile {
    private static let bufferLength = 1 << 16
    /// The name of standard output, as commands have it by convention.
    package static let standardOutput = "-"

    private enum Target {
        case standardOutput
        case draft(FileDraft)
        case inPlace(Int32)
    }

    /// Writes all bytes to a descriptor, and returns the error number of a write that failed.
    package typealias Write = ([UInt8], Int32) -> Int32?

    private let path: String
    private let target: Target
    private let writeBytes: Write
    private var isEmptied = false
    private var buffer: [UInt8] = []
    /// The error of the first write that failed; nil without one.
    private var failure: Int32?
    private var isComplete = false

    /// Whether the path of an option names a file, and not standard output.
    package static func isFile(_ path: String?) -> Bool { path != nil && path != Self.standardOutput }

    /// - Parameters:
    ///   - path: the file; nil or `-` for standard output.
    ///   - replacing: whether an existing file may be replaced; it keeps its mode and its owner.
    ///   - inPlace: whether the file has its final name from the start. The first write empties an existing one.
    ///   - isPublic: whether every user may read a new file.
    ///   - remedy: the next step of the user if the file exists and may not be replaced.
    ///   - write: writes to the file; not to standard output.
    package init(
        _ path: String?,
        replacing: Bool,
        inPlace: Bool = false,
        isPublic: Bool = false,
        remedy: String = "another name, or remove the file.",
        write: @escaping Write = { Descriptor.write($0, to: $1) }
    ) throws {
        self.writeBytes = write
        guard let path, path != Self.standardOutput else {
            // Standard output may be a pipe, or a file to which others append.
            (self.path, self.target) = ("standard output", .standardOutput)
            return
        }
        guard !path.isEmpty else {
            throw CommandFailure(.usage, "the name of the output file is empty", next: "the name of a file.")
        }
        self.path = path
        // A file that tells where a vehicle was is for its owner only.
        let mode: mode_t = isPublic ? 0o644 : 0o600
        do throws(FileProblem) {
            self.target =
                inPlace
                ? .inPlace(try Self.open(path, replacing: replacing, mode: mode))
                : .draft(try FileDraft(of: path, replacing: replacing, mode: mode))
        } catch {
            throw Self.failure(path, error, .cannotCreate, remedy: remedy)
        }
    }

    deinit {
        guard case .inPlace(let descriptor) = self.target else { return }
        if !self.isComplete, self.isEmptied { _ = ftruncate(descriptor, 0) }
        _ = Glibc.close(descriptor)
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
        switch self.target {
        case .standardOutput: break
        case .draft(let draft):
            do { try draft.publish(isFlushed: true) } catch {
                throw Self.failure(self.path, error, .inputOutput)
            }
        case .inPlace(let descriptor):
            guard fsync(descriptor) == 0 else { throw Self.failure(self.path, .system(errno), .inputOutput) }
        }
        self.isComplete = true
    }

    /// Leaves what was written under the name that ends in `.part`, because the file cannot be completed.
    package func keepDraft() {
        if case .draft(let draft) = self.target { draft.keep() }
    }

    /// Writes the buffer to the file.
    package func flush() throws {
        let bytes = self.buffer
        self.buffer.removeAll(keepingCapacity: true)
        switch self.target {
        case .standardOutput:
            StandardOutput.write(bytes)
            try StandardOutput.check()
        case .draft(let draft): try self.write(bytes, to: draft.descriptor)
        case .inPlace(let descriptor):
            if !self.isEmptied {
                guard ftruncate(descriptor, 0) == 0 else {
                    throw Self.failure(self.path, .system(errno), .inputOutput)
                }
                self.isEmptied = true
            }
            try self.write(bytes, to: descriptor)
        }
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) throws {
        // What did not fit is missing, so the file can't be completed any more.
        self.failure = self.failure ?? self.writeBytes(bytes, descriptor)
        guard let number = self.failure else { return }
        throw Self.failure(self.path, .system(number), .inputOutput)
    }

    /// Opens a file that gets its content in place.
    private static func open(_ path: String, replacing: Bool, mode: mode_t) throws(FileProblem) -> Int32 {
        if let present = FileStatus(path) {
            // Opening a device may have an effect of its own.
            guard present.isRegular else { throw .notRegular(present.words) }
            guard replacing else { throw .exists }
        }
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (replacing ? 0 : O_EXCL)
        let descriptor = unsafe Glibc.open(path, flags, mode)
        guard descriptor >= 0 else { throw errno == ELOOP ? .notRegular("a symbolic link") : .system(errno) }
        // The file may have become another one since.
        let status = FileStatus(descriptor: descriptor)
        guard let status, status.isRegular, status.hasOneName else {
            _ = Glibc.close(descriptor)
            throw status.map { $0.isRegular ? .hasOtherNames : .notRegular($0.words) } ?? .system(EBADF)
        }
        return descriptor
    }

    /// Returns the absolute path of a file that exists; `path` itself if it has none.
    package static func absolutePath(of path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Returns the failure of a write to `name`.
    ///
    /// - Parameter remedy: the next step if the file exists.
    static func failure(
        _ name: String,
        _ problem: FileProblem,
        _ status: ExitStatus,
        remedy: String = "another file."
    ) -> CommandFailure {
        let (words, next) =
            switch problem {
            case .exists: ("\(name) exists already", remedy)
            case .notRegular("a folder"): ("\(name) is a folder, and only a regular file is written", "a file in it.")
            case .notRegular(let kind):
                (
                    "\(name) is \(kind), and only a regular file is written or replaced",
                    "another file, or standard output, which the shell redirects: > \(name.shellWord)"
                )
            case .hasOtherNames:
                ("\(name) has hard links, so its content may be that of another file", "another file.")
            case .draftInUse:
                (
                    "\(name).part exists already: another command writes it, or it belongs to another user",
                    "wait for that command, or another file."
                )
            case .system(let number):
                ("\(name) can't be written: \(unsafe String(cString: strerror(number)))", Self.next(number))
            }
        return CommandFailure(status, words, next: next)
    }

    private static func next(_ number: Int32) -> String {
        switch number {
        case ENOENT: "make its folder first, or another file."
        case EACCES, EPERM: "another file, or as a user that may write there, such as root."
        case ENOSPC, EDQUOT: "another file, or free space there."
        case EBADF: "standard output to a file or a pipe; it is closed, or open for reading."
        default: "another file."
        }
    }
}
