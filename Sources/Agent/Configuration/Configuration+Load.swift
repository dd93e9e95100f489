// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

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
        let main = try SourceFile.contents(of: path, ifMissing: missing)
        let directory = path + ".d"
        let overlays = try Self.isDirectory(directory) ? SourceFile.tomlFiles(at: directory) : []
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

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
