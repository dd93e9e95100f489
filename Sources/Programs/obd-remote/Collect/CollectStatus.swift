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
    private static let staleAge = Duration.seconds(15)
    private static let sizeLimit = 1 << 16

    private let json: JSON
    private let status: CollectorStatus
    /// The time at which the file was written.
    private let time: Timestamp
    private let isRunning: Bool

    /// Reads the file of a collector.
    init(file path: String) throws {
        // A FIFO would block.
        guard TextFile.isRegular(path), let bytes = TextFile.bytes(of: path, limit: Self.sizeLimit) else {
            throw CommandFailure(
                .unavailable,
                "no collector seems to run: \(path) can't be read: "
                    + (TextFile.problem(reading: path) ?? "it is no regular file"),
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

    /// Returns whether a collector with this client id has written records before, as the file of its state tells.
    static func hasRun(_ clientID: String, file path: String) -> Bool {
        guard let state = try? Self(file: path).status else { return false }
        return state.clientID == clientID && state.recordCount > 0
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
        if self.isStale(at: now) {
            let isFuture = self.time > now
            return "the collector is gone, or hangs"
                + (isFuture ? "; its state is of the future, by this machine's clock" : "")
        }
        if self.status.hasRival(at: now) { return "another client has the client id \(self.status.clientID)" }
        switch (self.status.broker.since, self.status.database.since) {
        case (nil, nil): return "the collector is connected to neither broker nor database"
        case (nil, _): return "the collector is not connected to the broker"
        case (_, nil): return "the collector is not connected to the database"
        default: return nil
        }
    }

    /// Whether the state is not that of a collector which runs: too old, or of a time when the clock was ahead.
    private func isStale(at now: Timestamp) -> Bool {
        now - self.time > Self.staleAge || self.time - now > Self.staleAge
    }

    // MARK: - Texts

    private func lines(at now: Timestamp) -> [String] {
        let status = self.status
        func row(_ name: String, _ text: String) -> String {
            name + String(repeating: " ", count: max(1, 12 - name.count)) + text
        }
        let isPresent = self.isRunning && !self.isStale(at: now)
        func connection(_ connection: CollectorStatus.Connection) -> String {
            guard isPresent else { return connection.name }
            return connection.name
                + (connection.since.map { ", connected since \(Self.text($0, at: now))" } ?? ", not connected")
        }
        let state = isPresent ? "running" : self.isRunning ? "gone" : "ended"
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
        if status.sharedAgents > 0 {
            lines.append(row("Shared", "\(status.sharedAgents) agents are heard in two vehicles; the log names them"))
        }
        if let last = status.lastCommit { lines.append(row("Last commit", Self.text(last, at: now))) }
        if status.lastMessage == nil {
            lines.append(row("Received", "nothing from the broker since the start"))
            lines.append(row("", "Try: \(SilenceWatch.nextStep)"))
        }
        if status.rivals > 0 {
            let last = status.lastRival.map { ", last \(Self.text($0, at: now))" } ?? ""
            lines.append(row("Client id", "another client has ended the connection \(status.rivals) times\(last)"))
        }
        if status.lostSessions > 0 {
            lines.append(row("Sessions", "the broker had lost \(status.lostSessions) of this client"))
        }
        if let error = status.lastError {
            let isOver = [status.broker.since, status.database.since].contains { $0.map { $0 > error.time } ?? false }
            let end = isOver && status.isConnected ? " (resolved)" : ""
            lines.append(row("Last error", "\(Self.text(error.time, at: now)): \(error.message)\(end)"))
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
