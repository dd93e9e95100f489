// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Configuration
import EventLoop

/// The files with which the broker and the agent prove who they are, and what they were when a connection read them
/// last.
final class CredentialFiles: Sendable {
    private let paths: [String]
    private let state: Locked<[FileStamp?]>

    init(_ mqtt: Configuration.MQTT) {
        self.paths = [mqtt.caFile, mqtt.certificateFile, mqtt.keyFile, mqtt.passwordFile].compactMap(\.self)
        self.state = Locked(self.paths.map(FileStamp.init))
    }

    var isEmpty: Bool { self.paths.isEmpty }

    /// What they are now, always in the same order; nil: there is none.
    var stamps: [FileStamp?] { self.paths.map(FileStamp.init) }

    /// What they were when a connection read them last.
    var used: [FileStamp?] { self.state.withLock { $0 } }

    /// A connection is about to read them.
    func willBeRead() {
        let stamps = self.stamps
        self.state.withLock { $0 = stamps }
    }
}
