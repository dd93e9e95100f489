// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CommandLine
import EventLoop
import Logging

/// Logs the warnings and errors of many agents, each text once: what one broker refuses to one, it refuses to all.
struct FleetLogHandler: LogHandler {
    /// The largest number of different texts.
    private static let limit = 100

    /// The texts that were logged, of all agents.
    private static let told = Locked<Set<String>>([])

    private var lines = LineLogHandler()

    var logLevel: Logger.Level {
        get { .warning }
        set {}
    }
    var metadata: Logger.Metadata {
        get { self.lines.metadata }
        set { self.lines.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.lines[metadataKey: key] }
        set { self.lines[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        let text = "\(event.message)"
        let isNew = Self.told.withLock { told in told.count < Self.limit && told.insert(text).inserted }
        if isNew { self.lines.log(event: event) }
    }
}
