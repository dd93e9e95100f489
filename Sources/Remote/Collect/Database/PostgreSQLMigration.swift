// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import PostgreSQL

/// The creation of the tables, and the way from an older schema.
struct PostgreSQLMigration {
    let connection: PostgreSQLConnection

    /// A number that no other program locks by chance: two collectors must not create the tables at once.
    private static let lock: Int64 = 0x6F62_645F_636F_6C6C

    /// Brings the schema to the present version.
    ///
    /// - Returns: whether the samples are in a hypertable.
    func run() throws(CollectError) -> Bool {
        if try self.version() == DatabaseSchema.version { return try self.hasHypertable() }
        try self.perform { () throws(PostgreSQLError) in
            try self.connection.script(
                "BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(\(Self.lock))"
            )
        }
        do throws(CollectError) {
            try self.migrate()
            try self.perform { () throws(PostgreSQLError) in try self.connection.script("COMMIT") }
        } catch {
            try? self.connection.script("ROLLBACK")
            throw error
        }
        return try self.hasHypertable()
    }

    /// Returns the version of the schema; nil without one.
    private func version() throws(CollectError) -> Int64? {
        let (encoding, hasSchema, hasTable) = try self.perform { () throws(PostgreSQLError) in
            var found: (String?, Bool, Bool) = (nil, false, false)
            try self.connection.script(
                """
                SELECT current_setting('server_encoding'), current_schema() IS NOT NULL, \
                EXISTS (SELECT FROM pg_class WHERE relname = 'meta' AND relnamespace = \
                (SELECT oid FROM pg_namespace WHERE nspname = current_schema()))
                """
            ) { row in found = (row.text(0), row.boolean(1) == true, row.boolean(2) == true) }
            return found
        }
        guard encoding == "UTF8" else {
            throw .refused(
                "the database has the encoding \(encoding ?? "unknown"), which lacks characters. "
                    + "Try: a database with ENCODING 'UTF8'"
            )
        }
        guard hasSchema else {
            throw .refused("the search path names no schema. Try: CREATE SCHEMA, or another search_path")
        }
        guard hasTable else { return nil }
        let text = try self.perform { () throws(PostgreSQLError) in
            try self.text("SELECT max(value::text) FROM meta WHERE name::text = '\(DatabaseSchema.versionName)'")
        }
        guard let version = text.flatMap({ Int64($0) }), version > 0 else {
            throw .refused("the schema has a table \"meta\" of another program. \(Self.advice)")
        }
        guard version <= DatabaseSchema.version else { throw .newerSchema(version) }
        return version
    }

    private func migrate() throws(CollectError) {
        let version = try self.version() ?? 0
        let schema = DatabaseSchema.postgreSQL
        do throws(PostgreSQLError) {
            if version == 0 {
                try self.connection.script("CREATE TABLE meta (name text PRIMARY KEY, value text NOT NULL)")
            }
            for migration in schema.migrations.dropFirst(Int(version)) {
                for statement in migration { try self.connection.script(statement) }
            }
            if version == 0, try self.createHypertable() { try self.set("hypertable", "samples") }
            try self.set(DatabaseSchema.versionName, String(DatabaseSchema.version))
        } catch {
            // A table of this name is there already.
            if error.state == "42P07" { throw .refused("\(error). \(Self.advice)") }
            throw CollectError(error)
        }
    }

    private static let advice =
        "Try: a database of its own, or a schema of its own as the first of the role's search_path"

    private func set(_ name: String, _ value: String) throws(PostgreSQLError) {
        try self.connection.run(
            "INSERT INTO meta VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [.text(name), .text(value)]
        )
    }

    // MARK: - TimescaleDB

    /// Makes a hypertable of the table `samples` if TimescaleDB is there, or may be created.
    ///
    /// A failure leaves a plain table: PostgreSQL itself is enough.
    private func createHypertable() throws(PostgreSQLError) -> Bool {
        // To create the extension where the server has not loaded its library would end the session.
        let mayCreate = try self.text(
            """
            SELECT 1 FROM pg_available_extensions WHERE name = 'timescaledb' AND installed_version IS NULL \
            AND EXISTS (SELECT FROM pg_settings WHERE name LIKE 'timescaledb.%')
            """
        )
        if mayCreate != nil { _ = try self.attempt("CREATE EXTENSION timescaledb") }
        guard let schema = try self.text(Self.functionSchema("create_hypertable")) else { return false }
        return try self.attempt(
            """
            SELECT \(schema).create_hypertable('samples', 'time', chunk_time_interval => INTERVAL '1 day', \
            create_default_indexes => false)
            """
        )
    }

    /// Returns the query for the schema, quoted, of TimescaleDB's function of this name.
    static func functionSchema(_ name: String) -> String {
        "SELECT pronamespace::regnamespace::text FROM pg_proc WHERE proname = '\(name)' LIMIT 1"
    }

    /// Runs a statement; returns whether it succeeded, and leaves no trace otherwise.
    private func attempt(_ sql: String) throws(PostgreSQLError) -> Bool {
        try self.connection.script("SAVEPOINT attempt")
        do throws(PostgreSQLError) {
            try self.connection.script(sql)
            try self.connection.script("RELEASE SAVEPOINT attempt")
            return true
        } catch {
            // Throws if the connection is lost.
            try self.connection.script("ROLLBACK TO SAVEPOINT attempt")
            return false
        }
    }

    private func hasHypertable() throws(CollectError) -> Bool {
        try self.perform { () throws(PostgreSQLError) in
            try self.text("SELECT value FROM meta WHERE name = 'hypertable'") != nil
        }
    }

    // MARK: - Statements

    /// Returns the first column of the first row.
    private func text(_ sql: String) throws(PostgreSQLError) -> String? {
        var result: String?
        try self.connection.script(sql) { row in result = result ?? row.text(0) }
        return result
    }

    private func perform<Result>(_ body: () throws(PostgreSQLError) -> Result) throws(CollectError) -> Result {
        do throws(PostgreSQLError) { return try body() } catch { throw CollectError(error) }
    }
}
