// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc
import TOML

extension SourceFile {
    /// Returns the file at `path`, or all files of the directory `path` that end in `.toml`, ordered by name.
    package static func tomlFiles(at path: String) throws(ConfigurationError) -> [SourceFile] {
        guard let directory = unsafe opendir(path) else {
            return [SourceFile(name: path, bytes: try Self.contents(of: path))]
        }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
                unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".toml"), !name.hasPrefix(".") { names.append(name) }
        }
        let prefix = path.hasSuffix("/") ? path : path + "/"
        var files: [SourceFile] = []
        for file in names.sorted().map({ prefix + $0 }) {
            files.append(SourceFile(name: file, bytes: try Self.contents(of: file)))
        }
        return files
    }

    /// Returns the bytes of the file at `path`; of a file over the limit, just enough bytes to exceed the limit.
    ///
    /// Only a regular file is read, directly or behind a link: a pipe or a device may block the reader forever.
    package static func contents(
        of path: String,
        limit: Int = Document.maximumSize,
        ifMissing: String = ""
    ) throws(ConfigurationError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.unreadable(path, errno, ifMissing) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Self.unreadable(path, errno, ifMissing) }
        // The system has its own reason why a directory is not read.
        guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else {
            let message = "cannot be read: it is a pipe or a device, not a regular file. Try: another path"
            throw ConfigurationError(file: path, message: message)
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.unreadable(path, errno, ifMissing) }
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        return bytes
    }

    private static func unreadable(_ path: String, _ number: CInt, _ ifMissing: String) -> ConfigurationError {
        let reason = unsafe String(cString: strerror(number))
        let advice =
            switch number {
            case ENOENT: ifMissing
            case EACCES: ". Try: give the agent's user read access"
            default: ""
            }
        return ConfigurationError(file: path, message: "cannot be read: \(reason)\(advice)")
    }
}
