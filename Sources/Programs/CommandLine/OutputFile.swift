// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file that a command writes.
package enum OutputFile {
    /// Writes `text` to `path`, and replaces an existing file.
    ///
    /// - Returns: whether the whole text was written.
    package static func write(_ text: String, to path: String) -> Bool {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return false }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            bytes = bytes.dropFirst(count)
        }
        return close(descriptor) == 0 && bytes.isEmpty
    }

    /// Returns the absolute path of a file that exists; `path` itself if it has none.
    package static func absolutePath(of path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
