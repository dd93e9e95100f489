// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import Base
import CommandLine
import EventLoop
import Logging
import Systemd

/// Writes log messages to the journal: a line for people, and fields for programs.
struct JournalLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    /// The vehicle and the adapter of the messages.
    let context: LogContext
    /// The limiter that all loggers share.
    let limiter: Locked<LogLimiter>

    /// The keys of the metadata that have a field; obd-agent.service(8) names them.
    private static let fields = [
        "command_id": "COMMAND_ID", "command": "COMMAND", "issuer": "COMMAND_ISSUER", "reason": "COMMAND_REASON",
        "protocol": "VEHICLE_PROTOCOL", "broker": "BROKER", "parts": "STUCK_PARTS",
        JournalEvent.metadataKey: "MESSAGE_ID",
    ]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let message = "\(event.message)"
        // Verbose logging is not limited.
        guard event.level < .info || self.logLevel < .info else {
            guard let silent = self.limiter.withLock({ $0.take(message, at: BootClock().now) }) else { return }
            return self.write(message, event, silent)
        }
        self.write(message, event, 0)
    }

    private func write(_ message: String, _ event: LogEvent, _ silent: Int) {
        let metadata = self.metadata.merging(event.metadata ?? [:]) { $1 }
        var text = LogLine.text(message, metadata)
        if silent > 0 { text += " (and \(silent) more like it, not written)" }
        var fields: [Journal.Field] = [
            ("MESSAGE", text), ("PRIORITY", "\(LogLine.priority(event.level))"), ("SYSLOG_IDENTIFIER", "obd-agent"),
        ]
        let (vehicle, adapter) = self.context.present
        if let vehicle { fields.append(("VEHICLE", LogLine.singleLine(vehicle))) }
        if let adapter { fields.append(("ADAPTER", LogLine.singleLine(adapter))) }
        for (key, value) in metadata {
            if let name = Self.fields[key] { fields.append((name, LogLine.singleLine("\(value)"))) }
        }
        if !Journal.write(fields) { Console.printError("<\(LogLine.priority(event.level))>\(text)") }
    }
}
