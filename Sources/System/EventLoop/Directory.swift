// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Directories of the file system.
package enum Directory {
    /// Creates a directory for its owner only, with the folders above it that are missing.
    ///
    /// - Returns: the reason of a failure; nil if the directory exists now.
    package static func make(_ path: String) -> String? {
        guard !TextFile.isDirectory(path) else { return nil }
        let parent = Self.parent(of: path)
        if parent != path, let problem = Self.make(parent) { return problem }
        guard unsafe mkdir(path, 0o700) != 0, !TextFile.isDirectory(path) else { return nil }
        // A file is in the way.
        return unsafe String(cString: strerror(errno == EEXIST ? ENOTDIR : errno))
    }

    /// Returns the nearest path above a path that exists, which may be a file.
    package static func existingParent(of path: String) -> String {
        var parent = Self.parent(of: path)
        while unsafe access(parent, F_OK) != 0, parent != "/", parent != "." { parent = Self.parent(of: parent) }
        return parent
    }

    private static func parent(of path: String) -> String {
        let names = path.split(separator: "/").dropLast()
        let isAbsolute = path.hasPrefix("/")
        guard !names.isEmpty else { return isAbsolute ? "/" : "." }
        return (isAbsolute ? "/" : "") + names.joined(separator: "/")
    }
}
