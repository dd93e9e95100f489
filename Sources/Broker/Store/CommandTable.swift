// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import SQLite

/// The journal of commands on the disk: the last response to each command, and its state.
struct CommandTable {
    /// The largest number of commands in the journal.
    static let limit: Int64 = 10_000
    /// The time for which commands stay in the journal if the dates are known, in milliseconds: 30 days.
    static let lifetime: Int64 = 30 * 86_400_000

    let database: Database

    /// Returns the body of the last response to a command; nil if the journal does not have the command.
    func response(to id: String) throws(SQLiteError) -> [UInt8]? {
        var body: [UInt8]?
        try self.database.run("SELECT response FROM commands WHERE id = ?", [.text(id)]) { body = $0.blob(0) }
        return body
    }

    /// Returns the number of commands that must not be deleted yet.
    ///
    /// - Parameter date: the latest date that has certainly passed.
    func pinnedCount(at date: Timestamp) throws(SQLiteError) -> Int64 {
        try self.database.integer("SELECT count(*) FROM commands WHERE until > ?", [.integer(date.milliseconds)]) ?? 0
    }

    /// Returns the commands without a final response, in the order of their arrival.
    func unfinished() throws(SQLiteError) -> [UnfinishedCommand] {
        var commands: [UnfinishedCommand] = []
        let states = CommandResponse.State.allCases.filter { !$0.isFinal }
        let marks = Array(repeating: "?", count: states.count).joined(separator: ", ")
        try self.database.run(
            "SELECT response, vehicle, response_topic, correlation FROM commands WHERE state IN (\(marks)) ORDER BY number",
            states.map { .text($0.rawValue) }
        ) { row in
            var destination = StoredRecord.Destination(vehicle: row.text(1) ?? "")
            (destination.responseTopic, destination.correlationData) = (row.text(2), row.blob(3))
            commands.append(UnfinishedCommand(response: row.blob(0) ?? [], destination: destination))
        }
        return commands
    }

    /// Writes commands, and deletes those that the journal has no room for or no longer needs.
    ///
    /// - Parameters:
    ///   - boot: the row number of the current boot.
    ///   - latest: the latest date that has certainly passed. The same transaction must write it: a command that was
    ///     deleted by an unwritten date could be run again.
    func write(_ commands: [CommandEntry], boot: Int64, latest: Timestamp?) throws(SQLiteError) {
        guard !commands.isEmpty else { return }
        for command in commands {
            try self.database.run(
                """
                INSERT INTO commands (id, boot, at, response, vehicle, response_topic, correlation, until, state)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                ON CONFLICT (id) DO UPDATE
                SET response = ?4, response_topic = ?6, correlation = ?7, until = coalesce(?8, until), state = ?9
                """,
                [
                    .text(command.id), .integer(boot), .integer(command.at.sinceBoot.milliseconds),
                    .blob(command.response), .text(command.destination.vehicle),
                    SQLiteValue(command.destination.responseTopic), SQLiteValue(command.destination.correlationData),
                    command.until.map { .integer($0.milliseconds) } ?? .null, .text(command.state.rawValue),
                ]
            )
        }
        try self.prune(latest)
    }

    /// Deletes the oldest commands beyond the limit, and expired commands older than 30 days.
    private func prune(_ latest: Timestamp?) throws(SQLiteError) {
        let latest = (latest ?? Timestamp(milliseconds: 0)).milliseconds
        let count = try self.database.integer("SELECT count(*) FROM commands") ?? 0
        if count > Self.limit {
            // Commands that must not run again go last. The guard refuses more of them than the journal can hold.
            try self.database.run(
                """
                DELETE FROM commands WHERE number IN
                (SELECT number FROM commands ORDER BY coalesce(until, 0) > ?, number LIMIT ?)
                """,
                [.integer(latest), .integer(count - Self.limit)]
            )
        }
        try self.database.run(
            """
            DELETE FROM commands WHERE number IN (SELECT c.number FROM commands c JOIN boots b ON b.id = c.boot
            WHERE b.trusted = 1 AND b.started + c.at < ? AND coalesce(c.until, 0) <= ?)
            """,
            [.integer(latest - Self.lifetime), .integer(latest)]
        )
    }
}
