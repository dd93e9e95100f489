// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import CPostgreSQL
package import EventLoop
internal import Glibc

/// A connection to a PostgreSQL server.
///
/// A connection has one owner, which calls it on a thread that may block: two threads must not use it at the same time.
/// Every call ends within a stated time (see ``PostgreSQLTimeouts``), or at once when the owner's interrupt is
/// signaled. After an error of ``PostgreSQLError/Cause/unreachable`` or of an interrupt the connection is of no more use.
@safe
package final class PostgreSQLConnection {
    let handle: OpaquePointer
    let timeouts: PostgreSQLTimeouts
    private let socket: ConnectionWait
    /// The names of the prepared statements by their SQL; each is prepared once.
    private var statements: [String: String] = [:]
    /// The number of rows that the last statement inserted, changed or deleted.
    package private(set) var changes = 0

    /// Connects to the first host of the target that accepts.
    ///
    /// - Parameter interrupt: ends all waits of the connection once it is signaled, from any thread.
    package init(
        _ target: PostgreSQLTarget,
        timeouts: PostgreSQLTimeouts = PostgreSQLTimeouts(),
        interrupt: PollInterrupt
    ) throws(PostgreSQLError) {
        self.timeouts = timeouts
        self.socket = ConnectionWait(interrupt: interrupt)
        var opened: OpaquePointer?
        var failure = PostgreSQLError("connect to \(target)", .refused, "no host")
        for attempt in target.attempts where unsafe opened == nil {
            do throws(PostgreSQLError) {
                unsafe opened = try ConnectionAttempt(attempt, of: target).handle(within: timeouts.connect, self.socket)
            } catch {
                if error.cause == .interrupted { throw error }
                failure = error
            }
        }
        guard let handle = unsafe opened else { throw failure }
        unsafe self.handle = handle
        // Without this, libpq would print notices.
        _ = unsafe PQsetNoticeReceiver(handle, { _, _ in }, nil)
        unsafe PQsetnonblocking(handle, 1)
        // The server ends what runs or waits too long, and a session whose client has vanished within a transaction,
        // because that holds locks which others wait for.
        let statement = timeouts.statement.milliseconds
        let settings = [
            "statement_timeout = \(statement)", "lock_timeout = \(timeouts.lock.milliseconds)",
            "idle_in_transaction_session_timeout = \(2 * statement)", "tcp_keepalives_idle = 10",
            "tcp_keepalives_interval = 5", "tcp_keepalives_count = 4", "client_min_messages = warning",
            "standard_conforming_strings = on", "DateStyle = ISO", "TimeZone = 'UTC'",
        ]
        try self.script(settings.map { "SET \($0)" }.joined(separator: "; "))
    }

    deinit {
        unsafe PQfinish(self.handle)
    }

    /// The version of the server: 150004 is 15.4.
    package var serverVersion: Int { Int(unsafe PQserverVersion(self.handle)) }

    /// Whether a transaction is open, failed or not.
    package var isInTransaction: Bool {
        switch unsafe PQtransactionStatus(self.handle) {
        case PQTRANS_INTRANS, PQTRANS_INERROR, PQTRANS_ACTIVE: true
        default: false
        }
    }

    // MARK: - Statements

    /// Runs a statement, which the server prepares once.
    ///
    /// - Parameters:
    ///   - values: one value for each parameter (`$1`), in order.
    ///   - row: called for each row of the result; the row is invalid after the call.
    package func run(
        _ sql: String,
        _ values: [PostgreSQLValue] = [],
        row: (PostgreSQLRow) -> Void = { _ in }
    ) throws(PostgreSQLError) {
        let name = try self.prepared(sql)
        try self.send(sql) {
            unsafe withCStrings(values.map(\.literal)) { pointers in
                unsafe PQsendQueryPrepared(self.handle, name, Int32(values.count), pointers, nil, nil, 0)
            }
        }
        try self.finish(sql, row: row)
    }

    /// Runs statements without parameters, separated by semicolons: one transaction, unless they say otherwise.
    package func script(_ sql: String, row: (PostgreSQLRow) -> Void = { _ in }) throws(PostgreSQLError) {
        try self.send(sql) { unsafe PQsendQuery(self.handle, sql) }
        try self.finish(sql, row: row)
    }

    /// Returns the first column of the first row, or `nil` if there is no row or it is no integer.
    package func integer(_ sql: String, _ values: [PostgreSQLValue] = []) throws(PostgreSQLError) -> Int64? {
        var result: Int64?
        try self.run(sql, values) { row in result = result ?? row.integer(0) }
        return result
    }

    /// Inserts rows by `COPY table (columns) FROM STDIN`.
    package func copy(into table: String, _ columns: [String], _ rows: CopyRows) throws(PostgreSQLError) {
        let sql = "COPY \(table) (\(columns.joined(separator: ", "))) FROM STDIN WITH (FORMAT binary)"
        try self.send(sql) { unsafe PQsendQuery(self.handle, sql) }
        // The answer to the statement, before any rows: an error, or that the server expects them.
        guard let answer = unsafe try self.nextResult(sql, self.deadline) else {
            throw PostgreSQLError(Self.short(sql), .misuse, "no answer to COPY")
        }
        let status = unsafe PQresultStatus(answer)
        if status != PGRES_COPY_IN {
            let error = unsafe self.error(sql, answer)
            unsafe PQclear(answer)
            try self.finish(sql) { _ in }
            throw error
        }
        unsafe PQclear(answer)
        let bytes = rows.bytes + [0xFF, 0xFF]
        // The server's statement_timeout counts the transfer as well.
        let deadline = self.deadline
        var start = 0
        while start < bytes.count {
            let end = min(start + 65_536, bytes.count)
            let isTaken = unsafe bytes[start..<end].withUnsafeBytes { chunk in
                unsafe PQputCopyData(
                    self.handle,
                    chunk.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(chunk.count)
                )
            }
            guard isTaken >= 0 else { throw self.broken(sql) }
            if isTaken == 1 { start = end }
            try self.flush(sql, deadline)
        }
        while true {
            let isEnded = unsafe PQputCopyEnd(self.handle, nil)
            guard isEnded >= 0 else { throw self.broken(sql) }
            try self.flush(sql, deadline)
            if isEnded == 1 { break }
        }
        try self.finish(sql) { _ in }
    }

    private func prepared(_ sql: String) throws(PostgreSQLError) -> String {
        if let name = self.statements[sql] { return name }
        let name = "s\(self.statements.count + 1)"
        try self.send(sql) { unsafe PQsendPrepare(self.handle, name, sql, 0, nil) }
        try self.finish(sql) { _ in }
        self.statements[sql] = name
        return name
    }

    // MARK: - The dialogue

    /// The time by which the server must have answered what is sent now.
    private var deadline: ContinuousClock.Instant { .now + self.timeouts.statement + self.timeouts.grace }

    private func send(_ sql: String, _ body: () -> Int32) throws(PostgreSQLError) {
        try self.socket.checkInterrupt(Self.short(sql))
        guard body() == 1 else { throw self.broken(sql) }
        try self.flush(sql, self.deadline)
    }

    /// Writes what libpq holds; reads meanwhile, because a server that cannot write does not read.
    private func flush(_ sql: String, _ deadline: ContinuousClock.Instant) throws(PostgreSQLError) {
        while true {
            let rest = unsafe PQflush(self.handle)
            if rest == 0 { return }
            guard rest > 0 else { throw self.broken(sql) }
            let ready = unsafe try self.socket.wait(
                for: Int16(POLLIN | POLLOUT),
                of: self.handle,
                until: deadline,
                Self.short(sql)
            )
            if ready & Int16(POLLIN) != 0, unsafe PQconsumeInput(self.handle) == 0 { throw self.broken(sql) }
        }
    }

    /// Waits for the next result; nil after the last one of what was sent.
    private func nextResult(_ sql: String, _ deadline: ContinuousClock.Instant) throws(PostgreSQLError)
        -> OpaquePointer?
    {
        while unsafe PQisBusy(self.handle) == 1 {
            unsafe try self.socket.wait(for: Int16(POLLIN), of: self.handle, until: deadline, Self.short(sql))
            guard unsafe PQconsumeInput(self.handle) == 1 else { throw self.broken(sql) }
        }
        return unsafe PQgetResult(self.handle)
    }

    /// Reads all results, and throws the first error among them.
    private func finish(_ sql: String, row: (PostgreSQLRow) -> Void) throws(PostgreSQLError) {
        let deadline = self.deadline
        var failure: PostgreSQLError?
        while let result = unsafe try self.nextResult(sql, deadline) {
            defer { unsafe PQclear(result) }
            switch unsafe PQresultStatus(result) {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
                self.changes = unsafe PQcmdTuples(result).flatMap { unsafe Int(String(cString: $0)) } ?? 0
                for index in 0..<(unsafe PQntuples(result)) where failure == nil {
                    row(unsafe PostgreSQLRow(result, index))
                }
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
                // A COPY by another way than copy(into:): the dialogue would never end.
                throw PostgreSQLError(Self.short(sql), .misuse, "a COPY that nobody feeds")
            default:
                failure = unsafe failure ?? self.error(sql, result)
            }
        }
        // A server that ends the session tells so in a result; one that vanishes does not.
        if unsafe PQstatus(self.handle) == CONNECTION_BAD { throw failure ?? self.broken(sql) }
        if let failure { throw failure }
    }

    // MARK: - Errors

    private func error(_ sql: String, _ result: OpaquePointer) -> PostgreSQLError {
        func field(_ code: Character) -> String? {
            unsafe PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { unsafe String(cString: $0) }
        }
        guard let state = field("C") else { return self.broken(sql) }
        return PostgreSQLError(Self.short(sql), state: state, field("M") ?? "unknown")
    }

    /// Returns the error of a connection that has failed.
    private func broken(_ sql: String) -> PostgreSQLError {
        let message = unsafe String(cString: PQerrorMessage(self.handle))
        return PostgreSQLError(Self.short(sql), .unreachable, ConnectionAttempt.oneLine(message))
    }

    /// Returns the beginning of a statement, on one line.
    private static func short(_ sql: String) -> String {
        let line = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.count > 80 ? line.prefix(80) + "…" : line
    }
}

extension Duration {
    /// The duration in whole milliseconds.
    fileprivate var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
