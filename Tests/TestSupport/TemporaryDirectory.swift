// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A new directory, which is removed with its content when its last reference is released.
package final class TemporaryDirectory: Sendable {
    /// The absolute path.
    package let path: String

    package init() throws {
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/obd-agent-test-XXXXXX".utf8CString)
        let path = unsafe template.withUnsafeMutableBufferPointer { buffer -> String? in
            guard let start = buffer.baseAddress, let made = unsafe mkdtemp(start) else { return nil }
            return unsafe String(cString: made)
        }
        guard let path else { throw SystemError("mkdtemp in \(parent)") }
        self.path = path
    }

    deinit {
        removeTree(self.path)
    }

    /// Writes a file of this directory, readable by its owner only, and returns its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try self.write(Array(text.utf8), to: name)
    }

    /// Writes a file of this directory, readable by its owner only, and returns its path.
    @discardableResult
    package func write(_ content: [UInt8], to name: String) throws -> String {
        let path = "\(self.path)/\(name)"
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError(path) }
        defer { close(descriptor) }
        var bytes = content[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw SystemError(path) }
            bytes = bytes.dropFirst(count)
        }
        return path
    }
}

private func removeTree(_ path: String) {
    if let directory = unsafe opendir(path) {
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name != ".", name != ".." else { continue }
            // unlink comes first, so that a link is removed and not followed.
            let child = "\(path)/\(name)"
            if unsafe unlink(child) != 0 { removeTree(child) }
        }
        unsafe closedir(directory)
    }
    unsafe rmdir(path)
}
