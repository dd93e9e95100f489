// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Logging

/// Writes log lines to standard error: with the level on a terminal, otherwise with the priority of sd-daemon(3).
package struct LineLogHandler: LogHandler {
    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]

    private let isTerminal = isatty(2) == 1

    package init() {}

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let text = LogLine.text("\(event.message)", self.metadata.merging(event.metadata ?? [:]) { $1 })
        Console.printError(self.isTerminal ? "\(event.level): \(text)" : "<\(LogLine.priority(event.level))>\(text)")
    }
}
