// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
package import Logging

/// Formats log messages as lines.
package enum LogLine {
    /// The longest line, in characters.
    private static let limit = 2000

    /// Returns the message and its metadata in the order of their names, without the event that is for programs.
    package static func text(_ message: String, _ metadata: Logger.Metadata) -> String {
        let fields = metadata.filter { $0.key != JournalEvent.metadataKey }.sorted { $0.key < $1.key }
            .map { " \($0.key)=\"\($0.value)\"" }.joined()
        // One event is one line, whatever untrusted text it contains.
        return Self.singleLine(message + fields)
    }

    /// Returns the text without line breaks and control characters, and shortened.
    package static func singleLine(_ text: String) -> String { Printable.text(text, limit: Self.limit) }

    /// Returns the priority of syslog(3).
    package static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
