// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging

/// Log lines for people and for journald: on a terminal plain, elsewhere with the priority that journald reads.
struct LineLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    private let isTerminal = isatty(2) == 1

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = self.metadata.merging(event.metadata ?? [:]) { $1 }
            .sorted { $0.key < $1.key }.map { " \($0.key)=\"\($0.value)\"" }.joined()
        // One event is one line, whatever somebody put into it.
        let text = Self.singleLine("\(event.message)\(fields)")
        Console.printError(self.isTerminal ? "\(event.level): \(text)" : "<\(Self.priority(event.level))>\(text)")
    }

    private static func singleLine(_ text: String) -> String {
        String(
            text.prefix(2000).map { $0.isNewline || $0.asciiValue.map { $0 < 0x20 || $0 == 0x7F } == true ? " " : $0 }
        )
    }

    /// The priorities of syslog(3), as sd-daemon(3) reads them at the start of a line.
    private static func priority(_ level: Logger.Level) -> Int {
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
