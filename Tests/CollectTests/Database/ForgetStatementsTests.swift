// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import TestSupport
import Testing

@testable import Collect

@Suite("The documented statements that forget a vehicle", .server)
struct ForgetStatementsTests {
    private static let now = Timestamp(milliseconds: 1_700_000_000_123)

    /// The statements of the page, for a vehicle.
    private static func statements(for vehicle: String) throws -> [String] {
        let root = "\(#filePath)".split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        let path = (root + ["docs/tasks/forget-vehicle.md"]).joined(separator: "/")
        let page = try #require(TextFile.read(path))
        let block = try #require(page.split(separator: "```sql").last?.split(separator: "```").first)
        return block.split(separator: "\n").map { line in
            String(line.drop { $0 == " " }).replacing("VAN", with: vehicle)
        }.filter { !$0.isEmpty }
    }

    /// Writes a row into each table.
    private static func fill(_ vehicle: String, _ database: any CollectDatabase) throws {
        let key = StreamKey(agent: "agent", vehicle: vehicle, stream: .telemetry, epoch: 1)
        _ = try database.received([key])
        let series = SeriesKey(vehicle: vehicle, parameter: "engine_speed", ecu: "", unit: "1/min")
        let id = try #require(try database.series([series])[series])
        try database.insert([SampleRow(time: 1, value: 1, series: id, isSynchronised: true)])
        for table in CollectTable.allCases {
            let row: [ColumnValue] = table.columns.map { column in
                switch (column.name, column.type) {
                case ("vehicle", _): .text(vehicle)
                case ("topic", _): .text("obd/\(vehicle)/events")
                case ("series", _): .integer(id)
                case (_, .text): .text("x")
                case (_, .integer): .integer(1)
                case (_, .real): .real(1)
                case (_, .bool): .bool(true)
                case (_, .time): .time(Self.now)
                case (_, .json): .json(Array("{\"vehicle\":\"\(vehicle)\"}".utf8))
                case (_, .bytes): .bytes(Array("{}".utf8))
                }
            }
            try database.insert([row], into: table)
        }
        let state = CollectedState(
            vehicle: vehicle,
            topic: "status",
            time: Self.now,
            body: Array("{}".utf8),
            receivedAt: Self.now
        )
        try database.upsert([state])
    }

    @Test("Nothing of the vehicle is left in any table, and all of another stays", arguments: Place.Kind.allCases)
    func forgotten(kind: Place.Kind) async throws {
        let place = try await Place(kind)
        let collector = try place.collector()
        try await collector.transaction { database in
            try Self.fill("van-gone", database)
            try Self.fill("van-stays", database)
        }
        let statements = try Self.statements(for: "van-gone")
        let tables = CollectTable.allCases.map(\.rawValue) + ["samples", "series", "states", "received"]
        #expect(tables.allSatisfy { table in statements.contains { $0.hasPrefix("DELETE FROM \(table) ") } })
        try await place.run(statements)
        for table in tables {
            #expect(try await place.query("SELECT count(*) FROM \(table)") == ["1"], "\(table)")
            let rows = try await place.query("SELECT * FROM \(table)")
            #expect(!rows.contains { $0.contains("van-gone") }, "\(table)")
        }
    }
}

extension Place {
    /// Runs statements one after the other in one session.
    fileprivate func run(_ statements: [String]) async throws {
        if let server = ServerTrait.server, self.kind == .postgreSQL {
            try await server.run(statements, in: self.name)
        } else {
            try await Program("sqlite3", debianPackage: "sqlite3").run([self.path] + statements)
        }
    }
}
