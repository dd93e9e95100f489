// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc
import TOML

extension Configuration {
    /// The largest number of files in the directory beside the main file.
    private static let overlayLimit = 100

    /// Reads the configuration file at `path` and the files in the directory of the same name with `.d` appended.
    ///
    /// Of the directory it reads all files that end in `.toml`, ordered by name, after the main file.
    package static func load(
        path: String,
        host: HostFacts = HostFacts()
    ) throws(ConfigurationError) -> Configuration {
        let missing =
            ". Try: copy the sample agent.toml there, or name another file with --config FILE. The sample is in "
            + "/usr/share/doc/obd-agent/examples, or in etc/obd-agent of the sources"
        let main = try Self.contents(of: path, ifMissing: missing)
        let directory = path + ".d"
        let overlays = try Self.kind(of: directory) == S_IFDIR ? Self.tomlFiles(at: directory) : []
        guard overlays.count <= Self.overlayLimit else {
            let message = "has more than \(Self.overlayLimit) files. Try: remove some"
            throw ConfigurationError(file: directory, message: message)
        }
        return try Configuration(toml: main, file: path, overlays: overlays, host: host)
    }

    /// The file that sets `[adapter] pin`, if every local user can read it.
    package var exposedPINFile: String? {
        guard let file = self.adapter.pinFile else { return nil }
        var status = stat()
        return unsafe stat(file, &status) == 0 && status.st_mode & S_IROTH != 0 ? file : nil
    }

    private static func kind(of path: String) -> mode_t? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

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
    /// Only a regular file is read, directly or behind a link: a pipe or a device may block the reader for ever.
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
