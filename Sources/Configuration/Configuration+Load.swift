// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

extension Configuration {
    /// Reads the configuration file at `path`.
    package static func load(path: String) throws(ConfigurationError) -> Configuration {
        try Configuration(bytes: Self.contents(of: path), file: path)
    }

    /// The bytes of the file at `path`; of a file that is too large, just enough to see that it is.
    static func contents(of path: String) throws(ConfigurationError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.unreadable(path, errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= Document.maximumSize {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.unreadable(path, errno) }
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        return bytes
    }

    private static func unreadable(_ path: String, _ number: CInt) -> ConfigurationError {
        let reason = unsafe String(cString: strerror(number))
        let advice =
            switch number {
            case ENOENT:
                "; copy the sample etc/obd-agent/agent.toml there, or name another: obd-agent run --config FILE"
            case EACCES: "; let the agent's user read it"
            default: ""
            }
        return ConfigurationError(file: path, message: "cannot be read: \(reason)\(advice)")
    }
}
