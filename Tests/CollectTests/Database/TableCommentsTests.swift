// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

@testable import Collect

@Suite("The words about the tables", .server)
struct TableCommentsTests {
    @Test("Each column of the database has its words, and no other", arguments: Place.Kind.allCases)
    func columns(kind: Place.Kind) async throws {
        let place = try await Place(kind)
        try await place.collector().perform { database in try database.open() }
        let sql =
            switch kind {
            case .sqlite:
                """
                SELECT lower(schema.type), schema.name, columns.name FROM sqlite_schema AS schema \
                JOIN pragma_table_info(schema.name) AS columns WHERE schema.type IN ('table', 'view') \
                AND schema.name NOT LIKE 'sqlite_%' ORDER BY 2, columns.cid
                """
            case .postgreSQL:
                """
                SELECT CASE table_type WHEN 'VIEW' THEN 'view' ELSE 'table' END, table_name, column_name \
                FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name) \
                WHERE table_schema = 'public' ORDER BY table_name COLLATE "C", ordinal_position
                """
            }
        let words = TableComments.all.sorted { $0.name < $1.name }.flatMap { table in
            table.columns.map { "\(table.isView ? "view" : "table")|\(table.name)|\($0.name)" }
        }
        #expect(try await place.query(sql) == words)
    }

    @Test("PostgreSQL shows the words")
    func shown() async throws {
        let place = try await Place(.postgreSQL)
        try await place.collector().perform { database in try database.open() }
        for table in TableComments.all {
            let answer = try await place.query(
                "SELECT obj_description('\(table.name)'::regclass)",
                """
                SELECT col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = '\(table.name)'::regclass \
                AND attnum > 0 ORDER BY attnum
                """
            )
            #expect(answer == [table.text] + table.columns.map(\.text), "\(table.name)")
        }
    }

    @Test("The documentation has the words")
    func documented() throws {
        let root = "\(#filePath)".split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        let path = (root + ["docs/reference/collected-data.md"]).joined(separator: "/")
        let page = try #require(TextFile.read(path))
        let sections = page.split(separator: "\n## ").dropFirst()
        let expected = TableComments.all.map { table in
            let rows = table.columns.map { "| `\($0.name)` | \($0.text) |" }.joined(separator: "\n")
            let kind = table.isView ? "view" : "table"
            return "`\(table.name)`\n\nA \(kind): \(table.text).\n\n| column | is |\n| --- | --- |\n\(rows)"
        }
        let found = sections.map { section in String(section.reversed().drop { $0 == "\n" }.reversed()) }
        #expect(found == expected)
    }
}
