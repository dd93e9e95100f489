// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc
import SQLite
import TestSupport
import Testing

@Suite("A database file")
struct DatabaseTests {
    private let directory: TemporaryDirectory

    init() throws { self.directory = try TemporaryDirectory() }

    private var path: String { "\(self.directory.path)/a.db" }

    private func table() throws -> Database {
        let database = try Database(self.path)
        try database.run("CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
        return database
    }

    private static func error(_ body: () throws -> Void) -> SQLiteError? {
        do { try body() } catch { return error as? SQLiteError }
        return nil
    }

    @Test("Every kind of value is read as it was written, and as no other kind")
    func values() throws {
        let database = try self.table()
        let values: [SQLiteValue] = [
            .null, .integer(.min), .integer(.max), .real(-1.5), .real(.infinity), .text(""), .text("é\u{0}x"),
            .blob([]), .blob([0, 255]),
            SQLiteValue(nil as String?), SQLiteValue(nil as Int64?), SQLiteValue(nil as [UInt8]?),
        ]
        for value in values { try database.run("INSERT INTO t (a) VALUES (?)", [value]) }
        #expect(database.changes == 1)
        var found: [SQLiteValue] = []
        try database.run("SELECT a FROM t ORDER BY id") { row in
            let kinds = [
                row.integer(0).map(SQLiteValue.integer), row.real(0).map(SQLiteValue.real),
                row.text(0).map(SQLiteValue.text),
                row.blob(0).map(SQLiteValue.blob),
            ]
            #expect(kinds.compactMap(\.self).count <= 1)
            found.append(kinds.compactMap(\.self).first ?? .null)
            #expect(row.integer(7) == nil && row.text(-1) == nil)
        }
        #expect(found == values.map { $0 })
    }

    @Test("A new file and its logs belong to their owner alone; the mode of a file that exists stays")
    func modes() throws {
        func modes() -> [String] {
            ["", "-wal", "-shm"].map { end in
                var status = stat()
                let isThere = unsafe stat(self.path + end, &status) == 0
                return isThere ? String(status.st_mode & 0o777, radix: 8) : "none"
            }
        }
        func write() throws -> Database {
            let database = try Database(self.path)
            try database.run("PRAGMA journal_mode = WAL")
            try database.run("CREATE TABLE IF NOT EXISTS t (a)")
            return database
        }
        try withExtendedLifetime(write()) { #expect(modes() == ["600", "600", "600"]) }
        #expect(unsafe chmod(self.path, 0o640) == 0)
        try withExtendedLifetime(write()) { #expect(modes() == ["640", "640", "640"]) }
    }

    @Test("A file that a link names before it exists belongs to its owner alone too")
    func link() throws {
        let target = "\(self.directory.path)/elsewhere.db"
        #expect(unsafe symlink(target, self.path) == 0)
        withExtendedLifetime(try self.table()) {
            var status = stat()
            #expect(unsafe stat(target, &status) == 0 && status.st_mode & 0o777 == 0o600)
        }
    }

    @Test("Text that is not UTF-8 is read as no text")
    func damagedText() throws {
        let database = try self.table()
        try database.run("INSERT INTO t (a) VALUES (CAST(x'ff41' AS TEXT))")
        var texts: [String?] = []
        try database.run("SELECT a FROM t") { texts.append($0.text(0)) }
        #expect(texts == [nil])
    }

    @Test("A transaction is complete or has no effect, whatever ends it")
    func transaction() throws {
        let database = try self.table()
        try database.transaction { () throws(SQLiteError) in try database.run("INSERT INTO t (a) VALUES (1)") }
        let error = Self.error {
            try database.transaction { () throws(SQLiteError) in
                try database.run("INSERT INTO t (a) VALUES (2)")
                try database.run("INSERT INTO t (id) VALUES (1)")
            }
        }
        #expect(error?.cause == .data)
        #expect(try database.integer("SELECT count(*) FROM t") == 1)
        // The next transaction works.
        try database.transaction { () throws(SQLiteError) in try database.run("INSERT INTO t (a) VALUES (3)") }
        #expect(try database.integer("SELECT sum(a) FROM t") == 4)
    }

    @Test("Wrong SQL and a wrong number of values are errors that name the SQL")
    func misuse() throws {
        let database = try self.table()
        for (sql, values) in [
            ("SELEC", []), ("", []), ("SELECT ?", []), ("SELECT 1", [.null]),
        ] as [(String, [SQLiteValue])] {
            let error = Self.error { try database.run(sql, values) }
            #expect(error?.cause == .misuse && error?.operation == sql && error?.description.isEmpty == false, "\(sql)")
        }
    }

    @Test("The causes of errors: no directory, no database, no room, a lock of another process, a read-only file")
    func causes() throws {
        #expect(Self.error { _ = try Database("\(self.directory.path)/none/a.db") }?.cause == .unwritable)
        let noise = try self.directory.write([UInt8](repeating: 7, count: 5000), to: "noise")
        #expect(Self.error { _ = try Database(noise).integer("PRAGMA user_version") }?.cause == .corrupt)

        let database = try self.table()
        try database.run("PRAGMA max_page_count = 3")
        let full = Self.error {
            try database.run("INSERT INTO t (a) VALUES (?)", [.blob([UInt8](repeating: 1, count: 99_999))])
        }
        #expect(full?.cause == .full)

        let reader = try Database(self.path, .readOnly)
        #expect(Self.error { try reader.run("INSERT INTO t (a) VALUES (1)") }?.cause == .unwritable)

        let other = try Database(self.path, busyTimeout: .zero)
        try database.run("BEGIN IMMEDIATE")
        #expect(Self.error { try other.run("INSERT INTO t (a) VALUES (1)") }?.cause == .busy)
        try database.run("ROLLBACK")
        try other.run("INSERT INTO t (a) VALUES (1)")
    }
}
