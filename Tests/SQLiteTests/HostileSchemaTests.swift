// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import SQLite
import TestSupport
import Testing

@Suite("A database with a hostile schema")
struct HostileSchemaTests {
    @Test("No trigger runs, no view is read, and the schema cannot be changed")
    func schema() async throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/a.db"
        let schema = """
            CREATE TABLE t (a); CREATE TABLE log (a);
            CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); END;
            CREATE VIEW v AS SELECT 1 AS a;
            """
        try await Program("sqlite3", debianPackage: "sqlite3").run([path, schema])
        let database = try Database(path)
        try database.run("INSERT INTO t VALUES (1)")
        #expect(try database.integer("SELECT count(*) FROM log") == 0)
        #expect(throws: SQLiteError.self) { try database.run("SELECT a FROM v") }
        try? database.run("PRAGMA writable_schema = ON")
        #expect(throws: SQLiteError.self) { try database.run("UPDATE sqlite_schema SET name = 'x'") }
        #expect(try database.integer("PRAGMA cell_size_check") == 1)
    }
}
