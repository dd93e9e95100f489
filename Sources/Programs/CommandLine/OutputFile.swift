// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file that a command has written.
package enum OutputFile {
    /// Returns the absolute path of a file that exists; `path` itself if it has none.
    package static func absolutePath(of path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
