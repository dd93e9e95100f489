// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Configuration
import EventLoop

/// The files with which the broker and the agent authenticate each other, and their stamps at the last connection.
final class CredentialFiles: Sendable {
    private let paths: [String]
    private let state: Locked<[FileStamp?]>

    init(_ mqtt: Configuration.MQTT) {
        self.paths = [mqtt.caFile, mqtt.certificateFile, mqtt.keyFile, mqtt.passwordFile].compactMap(\.self)
        self.state = Locked(self.paths.map(FileStamp.init))
    }

    var isEmpty: Bool { self.paths.isEmpty }

    /// The present stamps, always in the same order; nil for a file that does not exist.
    var stamps: [FileStamp?] { self.paths.map(FileStamp.init) }

    /// The stamps at the time when a connection last read the files.
    var used: [FileStamp?] { self.state.withLock { $0 } }

    /// A connection is about to read the files.
    func willBeRead() {
        let stamps = self.stamps
        self.state.withLock { $0 = stamps }
    }
}
