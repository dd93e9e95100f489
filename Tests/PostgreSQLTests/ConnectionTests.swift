// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Glibc
import PostgreSQL
import TestSupport
import Testing

@Suite("A connection to PostgreSQL", .server)
struct ConnectionTests {
    @Test("Every kind of value arrives as it was sent")
    func values() async throws {
        let client = try Client()
        let sent: [PostgreSQLValue] = [
            .null, .integer(.min), .text("é' \\ \"; {,}"), .time(Timestamp(milliseconds: 951_827_696_123)),
            .texts(["", "a\"b\\c", "{x,y}", "NULL"]), .integers([.max, -1]),
        ]
        let row = try await client.row(
            """
            SELECT $1::text, $2::bigint, $3::text, ($4::timestamptz)::text, array_to_string($5::text[], '|'), \
            array_to_string($6::bigint[], '|')
            """,
            sent,
            columns: 7
        )
        #expect(row[0] == nil && row[1] == "\(Int64.min)" && row[2] == "é' \\ \"; {,}")
        #expect(row[3] == "2000-02-29 12:34:56.123+00" && row[4] == "|a\"b\\c|{x,y}|NULL")
        #expect(row[5] == "\(Int64.max)|-1" && row[6] == nil)
        // PostgreSQL has no NUL in a text.
        #expect(try await client.row("SELECT $1::text", [.text("a\0b")]) == ["a\u{FFFD}b"])
        // Its calendar has no year 0: that is 1 BC.
        let ancient = PostgreSQLValue.time(Timestamp(milliseconds: -62_150_000_000_000))
        #expect(
            try await client.row("SELECT extract(epoch FROM $1::timestamptz)::bigint", [ancient]) == ["-62150000000"]
        )
    }

    @Test("A statement runs many times with other values, and tells how many rows it changed")
    func statements() async throws {
        let client = try Client()
        let (count, changes) = try await client.perform { connection in
            try connection.script("CREATE TEMPORARY TABLE t (a bigint)")
            for number in Int64(0)..<100 { try connection.run("INSERT INTO t VALUES ($1)", [.integer(number)]) }
            let count = try connection.integer("SELECT count(*) FROM t WHERE a < $1", [.integer(7)])
            try connection.run("DELETE FROM t WHERE a < $1", [.integer(50)])
            return (count, connection.changes)
        }
        #expect(count == 7 && changes == 50)
    }

    @Test("The causes of errors, and a connection that works after each of them")
    func causes() async throws {
        let client = try Client(timeouts: PostgreSQLTimeouts(lock: .milliseconds(50)))
        let holder = try Client()
        try await holder.perform { connection in
            try connection.script("CREATE TABLE held (a integer PRIMARY KEY); INSERT INTO held VALUES (1)")
            try connection.script("BEGIN; UPDATE held SET a = 1")
        }
        for (sql, cause) in [
            ("SELEC", .misuse), ("SELECT * FROM nothing", .misuse), ("SELECT 1 / 0", .data),
            ("SELECT 'x'::integer", .data),
            ("INSERT INTO held VALUES (NULL)", .data), ("SELECT '\"\\u0000\"'::jsonb", .data),
            ("UPDATE held SET a = 1", .conflict),
        ] as [(String, PostgreSQLError.Cause)] {
            let error = await client.error(sql)
            #expect(error?.cause == cause && error?.state?.count == 5, "\(sql): \(error?.description ?? "no error")")
            #expect(try await client.row("SELECT 1") == ["1"])
        }
        try await holder.perform { connection in
            try connection.script("ROLLBACK; DROP TABLE held; CREATE TABLE secret (a integer)")
        }
        let guest = try Client(#require(ServerTrait.server).address(user: "guest"))
        #expect(await guest.error("SELECT * FROM secret")?.cause == .refused)
    }

    @Test("Rows of every type are copied, some of them larger than the buffers on the way")
    func copy() async throws {
        let client = try Client()
        let large = String(repeating: "ä", count: 3_000_000)
        let row = try await client.perform { connection in
            try connection.script(
                """
                CREATE TEMPORARY TABLE t (a bigint, b integer, c double precision, d boolean, e timestamptz, f text, \
                g jsonb, h bytea)
                """
            )
            var rows = CopyRows()
            rows.beginRow(columns: 8)
            rows.append(bigint: -2)
            rows.append(integer: .max)
            rows.append(double: -0.1)
            rows.append(boolean: true)
            rows.append(time: Timestamp(milliseconds: 1))
            rows.append(text: "a\0é")
            rows.append(jsonb: Array(#"{"b":[1.50]}"#.utf8))
            rows.append(bytes: [0, 255])
            rows.beginRow(columns: 8)
            for _ in 0..<5 { rows.appendNull() }
            rows.append(text: large)
            for _ in 0..<2 { rows.appendNull() }
            #expect(rows.count == 2)
            try connection.copy(into: "t", ["a", "b", "c", "d", "e", "f", "g", "h"], rows)
            var texts: [String?] = []
            try connection.run("SELECT * FROM t WHERE a IS NOT NULL") { row in texts = (0..<8).map(row.text) }
            let length = try connection.integer("SELECT length(f) FROM t WHERE a IS NULL")
            #expect(length == 3_000_000)
            return texts
        }
        #expect(
            row == [
                "-2", "2147483647", "-0.1", "t", "1970-01-01 00:00:00.001+00", "a\u{FFFD}é", #"{"b": [1.50]}"#,
                "\\x00ff",
            ]
        )
    }

    @Test("A copy that fails leaves no row, and a connection that works")
    func failedCopy() async throws {
        let client = try Client()
        let errors = try await client.perform { connection in
            try connection.script("CREATE TEMPORARY TABLE t (a jsonb)")
            var good = CopyRows()
            for text in ["1", "not JSON"] {
                good.beginRow(columns: 1)
                good.append(jsonb: Array(text.utf8))
            }
            var errors: [PostgreSQLError] = []
            for (table, column) in [("t", "a"), ("t", "b"), ("nothing", "a")] {
                do throws(PostgreSQLError) { try connection.copy(into: table, [column], good) } catch {
                    errors.append(error)
                }
            }
            #expect(try connection.integer("SELECT count(*) FROM t") == 0)
            return errors
        }
        #expect(errors.map(\.cause) == [.data, .misuse, .misuse])
        #expect(errors.allSatisfy { !$0.description.contains("not JSON") }, "\(errors)")
    }

    // MARK: - Refusals

    @Test("A refusal needs a person, and tells no password")
    func refusals() async throws {
        let server = try #require(ServerTrait.server)
        let locked = server.address(user: "locked")
        #expect(await connectError(locked, password: "secret-word") == nil)
        for (text, password, state) in [
            (locked, "wrong-word", "28P01"), (server.address(user: "refused"), nil, "28000"),
            (server.address(of: "none"), nil, "3D000"),
        ] as [(String, String?, String)] {
            let error = await connectError(text, password: password)
            #expect(error?.cause == .refused && error?.state == state, "\(text): \(error?.description ?? "no error")")
            #expect(error?.description.contains("-word") == false)
        }
        let missing = await connectError("\(locked) passfile=/dev/null")
        #expect(missing?.cause == .refused, "\(missing?.description ?? "no error")")
        #expect(await connectError("host=/nowhere")?.cause == .unreachable)
    }

    // MARK: - Waits that end

    @Test("A statement that runs too long is ended by the server")
    func longStatement() async throws {
        let client = try Client(timeouts: PostgreSQLTimeouts(statement: .milliseconds(100)))
        let error = await client.error("SELECT pg_sleep(600)")
        #expect(error?.cause == .unreachable && error?.state == "57014")
    }

    @Test("A server that hangs ends the call within its limit")
    func hungServer() async throws {
        let limits = PostgreSQLTimeouts(statement: .milliseconds(100), grace: .milliseconds(100))
        let client = try Client(timeouts: limits)
        let text = try #require(try await client.row("SELECT pg_backend_pid()").first)
        let backend = try #require(text.flatMap { Int32($0) })
        kill(backend, SIGSTOP)
        defer { kill(backend, SIGCONT) }
        let error = await client.error("SELECT 1")
        #expect(error?.cause == .unreachable && error?.state == nil, "\(error?.description ?? "no error")")
    }

    @Test("A server that accepts and says nothing ends the attempt within its limit")
    func silentServer() async throws {
        let directory = try TemporaryDirectory()
        let listener = try SilentListener(at: "\(directory.path)/.s.PGSQL.5432")
        let limits = PostgreSQLTimeouts(connect: .milliseconds(100))
        let error = await connectError("host=\(directory.path) port=5432", timeouts: limits)
        #expect(error?.cause == .unreachable, "\(error?.description ?? "no error")")
        // The next host is tried after it.
        let server = try #require(ServerTrait.server)
        let folder = server.address().split(separator: " ")[0].dropFirst("host=".count)
        let both = "host=\(directory.path),\(folder) port=5432 user=postgres"
        #expect(await connectError(both, timeouts: limits) == nil)
        listener.close()
    }

    @Test("An interrupt from another thread ends the wait at once, and every call after it")
    func interrupt() async throws {
        let interrupt = PollInterrupt()
        let client = try Client(interrupt: interrupt)
        async let failure = client.error("SELECT pg_sleep(25)")
        let watcher = try Client()
        try await within("the statement runs") {
            while try await watcher.row("SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(25)'")
                == ["0"]
            {}
        }
        interrupt.signal()
        #expect(await failure?.cause == .interrupted)
        #expect(await client.error("SELECT 1")?.cause == .interrupted)
    }

    @Test("A session that the server ends is a lost connection")
    func terminated() async throws {
        let client = try Client()
        let text = try #require(try await client.row("SELECT pg_backend_pid()").first)
        let backend = try #require(text.flatMap { Int64($0) })
        _ = try await Client().row("SELECT pg_terminate_backend($1::integer)", [.integer(backend)])
        #expect(await client.error("SELECT 1")?.cause == .unreachable)
        #expect(await client.error("SELECT 1")?.cause == .unreachable)
    }
}

private struct CannotListen: Error { let path: String }

/// A socket that accepts connections, and neither reads nor writes.
private final class SilentListener {
    private let descriptor: Int32

    init(at path: String) throws {
        self.descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in unsafe bytes.copyBytes(from: path.utf8) }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(self.descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0, listen(self.descriptor, 8) == 0 else { throw CannotListen(path: path) }
    }

    func close() { _ = Glibc.close(self.descriptor) }
}
