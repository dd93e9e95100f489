// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
package import Logging

/// A message of the log as a line.
package enum LogLine {
    /// The longest line, in characters.
    private static let limit = 2000

    /// The message and what belongs to it, by name.
    package static func text(_ message: String, _ metadata: Logger.Metadata) -> String {
        let fields = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\"\($0.value)\"" }.joined()
        // One event is one line, whatever somebody put into it.
        return Self.singleLine(message + fields)
    }

    package static func singleLine(_ text: String) -> String { Printable.text(text, limit: Self.limit) }

    /// The priorities of syslog(3).
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
