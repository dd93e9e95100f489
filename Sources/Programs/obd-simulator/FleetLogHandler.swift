// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CommandLine
import EventLoop
import Logging

/// Logs the warnings and errors of many agents, each text once: what one broker refuses to one, it refuses to all.
struct FleetLogHandler: LogHandler {
    /// The largest number of remembered texts; after it all of them may come again, so that nothing new is lost.
    private static let limit = 100

    /// The texts that were logged, of all agents.
    private static let logged = Locked<Set<String>>([])

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
        let isNew = Self.logged.withLock { logged in
            if logged.count >= Self.limit { logged = [] }
            return logged.insert(text).inserted
        }
        if isNew { self.lines.log(event: event) }
    }
}
