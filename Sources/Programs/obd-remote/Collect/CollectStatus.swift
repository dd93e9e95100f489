// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Collect
import CommandLine
import Contract
import EventLoop
import Subscriber

/// The state of a collector in its file, and as text.
struct CollectStatus {
    /// The age from which the state of a collector that runs is not trusted: it writes its file each 5 s.
    private static let staleAge = Duration.seconds(60)
    private static let sizeLimit = 1 << 16

    private let json: JSON
    private let status: CollectorStatus
    /// The time at which the file was written.
    private let time: Timestamp
    private let isRunning: Bool

    /// Reads the file of a collector.
    init(file path: String) throws {
        guard let bytes = TextFile.bytes(of: path, limit: Self.sizeLimit) else {
            throw CommandFailure(
                .unavailable,
                "\(path) can't be read: \(TextFile.problem(reading: path) ?? "it is no file"). Does no collector run?",
                next: "systemctl status obd-collect, or --status-file with the file of the collector."
            )
        }
        let json = JSON(payload: bytes)
        guard let status = CollectorStatus(json), let time = json["time"].time, let isRunning = json["running"].bool
        else {
            throw CommandFailure(
                .unavailable,
                "\(path) is not the state of a collector",
                next: "another --status-file."
            )
        }
        (self.json, self.status, self.time, self.isRunning) = (json, status, time, isRunning)
    }

    /// Returns the content of the file.
    static func bytes(_ status: CollectorStatus, isRunning: Bool, at now: Timestamp) -> [UInt8] {
        guard case .object(var members) = status.json else { return [] }
        members["running"] = .bool(isRunning)
        members["time"] = .string(now.description)
        members["version"] = .string(AgentVersion.current)
        return Array((JSON.object(members).text + "\n").utf8)
    }

    /// Prints the state; fails if the collector does not run, or is not connected to both ends.
    func print(asJSON: Bool) throws {
        if asJSON { Output.json(self.json) } else { Output.lines(self.lines(at: .present)) }
        if let problem = self.problem(at: .present) { throw CommandFailure(.unavailable, problem) }
    }

    private func problem(at now: Timestamp) -> String? {
        if !self.isRunning { return "the collector has ended" }
        if now - self.time > Self.staleAge { return "the collector is gone, or hangs" }
        switch (self.status.broker.since, self.status.database.since) {
        case (nil, nil): return "the collector is connected to neither broker nor database"
        case (nil, _): return "the collector is not connected to the broker"
        case (_, nil): return "the collector is not connected to the database"
        default: return nil
        }
    }

    // MARK: - Texts

    private func lines(at now: Timestamp) -> [String] {
        let status = self.status
        func row(_ name: String, _ text: String) -> String {
            name + String(repeating: " ", count: max(1, 12 - name.count)) + text
        }
        func connection(_ connection: CollectorStatus.Connection) -> String {
            connection.name
                + (connection.since.map { ", connected since \(Self.text($0, at: now))" } ?? ", not connected")
        }
        let state = self.isRunning ? "running" : "ended"
        var lines = [
            row("Collector", "\(status.clientID), \(state), state of \(Self.text(self.time, at: now))"),
            row("Started", Self.text(status.startedAt, at: now)),
            row("Broker", connection(status.broker)), row("Database", connection(status.database)),
            row(
                "Records",
                "\(status.recordCount), \(status.total.duplicates) duplicates, \(status.total.rejected) rejected"
            ),
            row(
                "Samples",
                "\(status.total.samples), \(Self.short(status.samplesPerSecond)) a second in the last minute"
            ),
            row("Waiting", "\(status.waiting) messages, lag \(Self.short(status.lag.seconds)) s"),
            row("Missing", "\(status.missing) records of \(status.incompleteStreams) streams"),
            row("Asked", "\(status.asked) times, \(status.total.again) records came again, \(status.lost) are lost"),
        ]
        if let share = status.share { lines.insert(row("Group", share), at: 1) }
        if let last = status.lastCommit { lines.append(row("Last commit", Self.text(last, at: now))) }
        if let error = status.lastError {
            lines.append(row("Last error", "\(Self.text(error.time, at: now)): \(error.message)"))
        }
        return lines.map { Printable.text($0) }
    }

    /// The time with its age.
    private static func text(_ time: Timestamp, at now: Timestamp) -> String {
        time.text(at: now) + (time.age(at: now).map { " (\($0))" } ?? "")
    }

    /// Returns the progress in a line.
    static func line(_ status: CollectorStatus, at now: Timestamp) -> String {
        var parts = [
            "\(now.description.dropFirst(11).prefix(8)) UTC", "\(status.recordCount) records",
            "\(status.total.samples) samples (\(Self.short(status.samplesPerSecond))/s)",
        ]
        if status.missing > 0 { parts.append("\(status.missing) missing") }
        if status.total.rejected > 0 { parts.append("\(status.total.rejected) rejected") }
        if status.waiting > 0 { parts.append("\(status.waiting) wait, lag \(Self.short(status.lag.seconds)) s") }
        if status.broker.since == nil { parts.append("no broker") }
        if status.database.since == nil { parts.append("no database") }
        return parts.joined(separator: ", ")
    }

    /// Returns the state in a sentence, for `systemctl status`.
    static func sentence(_ status: CollectorStatus) -> String {
        switch (status.broker.since, status.database.since) {
        case (nil, nil): return "Neither broker nor database: \(status.lastError?.message ?? "connecting")"
        case (nil, _): return "No broker: \(status.lastError?.message ?? "connecting")"
        case (_, nil): return "No database: \(status.lastError?.message ?? "connecting"); the broker keeps the records"
        default:
            let missing = status.missing > 0 ? "; \(status.missing) records missing" : ""
            return "Collecting, \(Self.short(status.samplesPerSecond)) samples a second\(missing)"
        }
    }

    private static func short(_ number: Double) -> String {
        number >= 10 ? "\(Int(number.rounded()))" : "\((number * 10).rounded() / 10)"
    }
}

extension CollectorStatus {
    /// The number of records of all streams.
    fileprivate var recordCount: Int { self.total.records.values.reduce(0, &+) }
}
