// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("The versions of the database, forward and back", .timeLimit(.minutes(10)))
struct SchemaTests {
    /// Makes a file of a version, with an event that waits.
    private static func make(_ bench: Bench, version: Int) throws {
        let database = try Database(bench.path)
        for statement in Schema.migrations[..<version].joined() { try database.run(statement) }
        try database.run("PRAGMA user_version = \(version)")
        try database.run("INSERT INTO meta (name, value) VALUES ('epoch', 41)")
        try database.run("INSERT INTO boots (id, boot, started, trusted) VALUES (3, 'boot', 1000000, 1)")
        try database.run(
            "INSERT INTO events (id, boot, at, vehicle, body, precious) VALUES (?, 3, 5, 'van', ?, 1)",
            [.integer(RecordID(epoch: 41, seq: 7).rawValue), .blob(Array("{\"n\":5,\"x\":\"\"}".utf8))]
        )
    }

    /// Changes a file as the next version's migration may: a column for each table, and a table.
    private static func migrateOnward(_ bench: Bench, readableBy: Int64) throws {
        let database = try Database(bench.path)
        var tables: [String] = []
        try database.run("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'") { row in
            if let name = row.text(0) { tables.append(name) }
        }
        for table in tables { try database.run("ALTER TABLE \(table) ADD COLUMN later TEXT DEFAULT 'kept'") }
        try database.run("CREATE TABLE later (number INTEGER PRIMARY KEY)")
        try database.run("UPDATE meta SET value = \(readableBy) WHERE name = 'readable_by'")
        try database.run("PRAGMA user_version = \(Schema.version + 1)")
    }

    private static func number(_ sql: String, in bench: Bench) throws -> Int64? {
        try Database(bench.path, .readOnly).integer(sql)
    }

    @Test("Every older file keeps its records, and tells who can read it", arguments: 1...Int(Schema.version))
    func forward(version: Int) async throws {
        let bench = try Bench()
        try Self.make(bench, version: version)
        let store = bench.store()
        #expect(await store.open(at: .zero).problem == nil)
        #expect(await store.drain() == ["e41:7=5"])
        await store.saveLast()
        #expect(try Self.number("PRAGMA user_version", in: bench) == Schema.version)
        #expect(try Self.number("SELECT value FROM meta WHERE name = 'readable_by'", in: bench) == Schema.readableBy)
    }

    @Test(
        "A file that the next version has migrated is used: everything is written and read, and nothing is taken back"
    )
    func backOneStep() async throws {
        let bench = try Bench()
        do {
            let store = bench.store()
            _ = await store.open(at: .zero)
            await store.append(1, to: .telemetry)
            await store.saveLast()
        }
        try Self.migrateOnward(bench, readableBy: Schema.version)
        do {
            let store = bench.store()
            let opening = await store.open(at: .zero)
            #expect(opening.problem == nil && opening.setAside == nil)
            for stream in RecordStream.allCases { await store.append(2, to: stream, isCritical: true) }
            await store.remember(
                CommandEntry(id: "a", at: .zero, state: .succeeded, response: [3], destination: .init(vehicle: "van"))
            )
            await store.remember(VehicleEntry(name: "van", vin: nil, mark: "m", at: .zero))
            await store.remember(StoredState(.selection, [7]), of: "van")
            await store.remember(DayCaptures(date: 1, byRule: ["rule": 2]))
            await store.remember(DayTraffic(date: 1, bytes: 2, resent: 3))
            await store.save(draft: 9)
            #expect(await store.problem == nil)
        }
        #expect(try Self.number("PRAGMA user_version", in: bench) == Schema.version + 1)
        #expect(try Self.number("SELECT count(*) FROM events WHERE later = 'kept'", in: bench) == 1)
        let again = bench.store(boot: "next")
        #expect(await again.open(at: .zero).vehicle == "van")
        #expect(await again.drain().count == 5)
        #expect(try await again.response(to: "a") == [3])
        #expect(await again.state(.selection, of: "van") == [7])
        // The tools read it, too.
        #expect(try Recording(in: bench.directory.path).vehicles().map(\.name) == ["van"])
    }

    @Test("A file that only newer versions can use is not read by the tools either")
    func backTwoSteps() async throws {
        let bench = try Bench()
        do {
            let store = bench.store()
            _ = await store.open(at: .zero)
            await store.saveLast()
        }
        try Self.migrateOnward(bench, readableBy: Schema.version + 1)
        #expect(throws: StoreError.newer(version: Schema.version + 1, path: bench.path)) {
            try Recording(in: bench.directory.path)
        }
        #expect(await bench.store().open(at: .zero).problem?.contains("newer") == true)
    }

    @Test("A migration takes nothing away that an older agent uses")
    func onlyAdditions() throws {
        // The tenth moved three tables into one, before there was a release: so this test can fail.
        #expect(try Self.losses(at: 10).contains("selections.body"))
        #expect(Schema.readableBy >= 10 && Schema.readableBy <= Schema.version)
        for version in 1...Int(Schema.version) where version > Int(Schema.readableBy) {
            let losses = try Self.losses(at: version)
            #expect(losses.isEmpty, "migration \(version): see CONTRIBUTING.md, one step back")
        }
    }

    /// Returns the columns that a migration removes or changes, or adds without a default and not null.
    private static func losses(at version: Int) throws -> [String] {
        let before = try Self.columns(of: version - 1)
        let after = try Self.columns(of: version)
        let removed = before.filter { after[$0.key] != $0.value }.map(\.key)
        let tables = Set(before.keys.compactMap { $0.split(separator: ".").first })
        let demanded = after.filter { key, column in
            before[key] == nil && column.hasSuffix("required")
                && key.split(separator: ".").first.map(tables.contains) == true
        }
        return removed + demanded.keys
    }

    /// Returns the columns of all tables of a version, each with its type and whether an INSERT must name it.
    private static func columns(of version: Int) throws -> [String: String] {
        let bench = try Bench()
        let database = try Database(bench.path)
        for statement in Schema.migrations[..<version].joined() { try database.run(statement) }
        var columns: [String: String] = [:]
        try database.run(
            """
            SELECT t.name || '.' || c.name, c.type || ' ' || c.pk || CASE
            WHEN c."notnull" = 1 AND c.dflt_value IS NULL THEN ' required' ELSE '' END
            FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'
            """
        ) { row in
            if let name = row.text(0), let column = row.text(1) { columns[name] = column }
        }
        return columns
    }
}
