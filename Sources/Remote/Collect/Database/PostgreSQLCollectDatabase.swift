// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import EventLoop
package import PostgreSQL

/// A PostgreSQL database of a fleet's records, into which any number of collectors may write.
///
/// Each call has a deadline (``PostgreSQLTimeouts``). The row of a stream in `received` is locked while a transaction
/// writes records of that stream. So two collectors that get the same record write it once.
package final class PostgreSQLCollectDatabase: CollectDatabase {
    /// The largest number of streams that are remembered as known.
    private static let knownLimit = 100_000

    private let target: PostgreSQLTarget
    private let timeouts: PostgreSQLTimeouts
    private let interrupt: PollInterrupt
    private var connection: PostgreSQLConnection?
    /// The streams whose rows are in the database.
    var knownStreams: Set<StreamKey> = []
    /// The streams whose rows the present transaction has created.
    var newStreams: Set<StreamKey> = []
    /// Whether TimescaleDB keeps the samples, in a hypertable.
    package private(set) var hasHypertable = false

    /// - Parameters:
    ///   - target: the server and the database.
    ///   - timeouts: the limits of the waits on the server.
    ///   - interrupt: ends all calls, now and later, once it is signaled from any thread.
    package init(
        _ target: PostgreSQLTarget,
        timeouts: PostgreSQLTimeouts = PostgreSQLTimeouts(),
        interrupt: PollInterrupt
    ) {
        self.target = target
        self.timeouts = timeouts
        self.interrupt = interrupt
    }

    package func open() throws(CollectError) {
        self.connection = nil
        self.knownStreams = []
        let connection: PostgreSQLConnection
        do throws(PostgreSQLError) {
            connection = try PostgreSQLConnection(self.target, timeouts: self.timeouts, interrupt: self.interrupt)
            // A commit is acknowledged to the broker, so it must survive a power cut.
            try connection.script(
                """
                SELECT set_config('synchronous_commit', 'on', false) \
                WHERE current_setting('synchronous_commit') = 'off'
                """
            )
        } catch {
            throw CollectError(error)
        }
        self.hasHypertable = try PostgreSQLMigration(connection: connection).run()
        self.connection = connection
    }

    package func begin() throws(CollectError) {
        try self.connect()
        try self.perform { connection throws(PostgreSQLError) in
            try connection.script("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        }
    }

    /// Makes sure that there is a connection, without a transaction.
    func connect() throws(CollectError) {
        self.rollback()
        if self.connection == nil { try self.open() }
    }

    package func commit() throws(CollectError) {
        guard self.connection?.isInTransaction == true else { throw .conflict("no transaction is open") }
        try self.perform { connection throws(PostgreSQLError) in try connection.script("COMMIT") }
        if self.knownStreams.count + self.newStreams.count > Self.knownLimit { self.knownStreams = [] }
        self.knownStreams.formUnion(self.newStreams)
        self.newStreams = []
    }

    package func rollback() {
        self.newStreams = []
        guard let connection = self.connection, connection.isInTransaction else { return }
        // The server rolls back by itself when a connection ends.
        do { try connection.script("ROLLBACK") } catch { self.connection = nil }
    }

    package func insert(_ samples: [SampleRow]) throws(CollectError) {
        guard !samples.isEmpty else { return }
        var rows = CopyRows()
        for sample in samples {
            rows.beginRow(columns: 4)
            rows.append(time: Timestamp(milliseconds: sample.time))
            rows.append(double: sample.value)
            rows.append(integer: Int32(clamping: sample.series))
            rows.append(boolean: sample.isSynchronised)
        }
        try self.perform { connection throws(PostgreSQLError) in
            try connection.copy(into: "samples", ["time", "value", "series", "synchronised"], rows)
        }
    }

    package func insert(_ values: [[ColumnValue]], into table: CollectTable) throws(CollectError) {
        guard !values.isEmpty else { return }
        let columns = table.columns
        var rows = CopyRows()
        for row in values {
            rows.beginRow(columns: row.count)
            for (index, value) in row.enumerated() {
                rows.append(value, for: columns.indices.contains(index) ? columns[index].type : nil)
            }
        }
        try self.perform { connection throws(PostgreSQLError) in
            try connection.copy(into: table.rawValue, columns.map(\.name), rows)
            if table == .rejected {
                try connection.run(
                    "DELETE FROM rejected WHERE id <= (SELECT max(id) FROM rejected) - $1",
                    [.integer(DatabaseSchema.rejectedLimit)]
                )
            }
        }
    }

    /// Runs `body`; after an error it ends the transaction, and the connection if that is of no more use.
    func perform<Result>(
        _ body: (PostgreSQLConnection) throws(PostgreSQLError) -> Result
    ) throws(CollectError) -> Result {
        guard let connection = self.connection else { throw .unreachable("not connected to \(self.target)") }
        do throws(PostgreSQLError) {
            return try body(connection)
        } catch {
            if error.cause == .unreachable || error.cause == .interrupted { self.connection = nil }
            self.rollback()
            throw CollectError(error)
        }
    }
}

extension CopyRows {
    /// Appends a value for a column of a type; without one, for a column of the value's own type.
    fileprivate mutating func append(_ value: ColumnValue, for type: ColumnType?) {
        switch value {
        case .null: self.appendNull()
        case .bool(let value): self.append(boolean: value)
        case .integer(let number) where type == .real: self.append(double: Double(number))
        case .integer(let number): self.append(bigint: number)
        case .real(let number): self.append(double: number)
        case .text(let text): self.append(text: text)
        case .bytes(let bytes): self.append(bytes: bytes)
        case .time(let time): self.append(time: time)
        case .json(let text): self.append(jsonb: text)
        }
    }
}
