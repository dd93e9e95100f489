// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

@testable import Collect

@Suite("A database of a fleet", .server)
struct DatabaseTests {
    private static let first = StreamKey(agent: "a-1", vehicle: "van", stream: .telemetry, epoch: 1)
    private static let second = StreamKey(agent: "a-1", vehicle: "van", stream: .telemetry, epoch: 2)
    private static let start = Timestamp(milliseconds: 1_700_000_000_123)

    // MARK: - Numbers

    @Test(
        "The numbers of a stream are read as they were saved, and a new stream has none",
        arguments: Place.Kind.allCases
    )
    func received(kind: Place.Kind) async throws {
        let collector = try await Place(kind).collector()
        var row = Received()
        row.numbers = NumberSet([1...5, 7...9])
        row.lost = NumberSet([6...6])
        row.last = 1 << 53
        row.isEnded = true
        row.nextAsk = Self.start
        row.asks = 3
        (row.outlook.hasHoles, row.outlook.isEndKnown) = (true, true)
        let saved = row
        let keys = [Self.second, Self.first, StreamKey(agent: "Z", vehicle: "van", stream: .events, epoch: 1)]
        try await collector.transaction { database in
            let found = try database.received(keys)
            #expect(found == Dictionary(uniqueKeysWithValues: keys.map { ($0, Received()) }))
            try database.save([Self.first: saved])
            #expect(try database.received([]) == [:])
        }
        let found = try await collector.transaction { database in try database.received(keys) }
        #expect(found == [Self.first: saved, keys[0]: Received(), keys[2]: Received()])
    }

    @Test("The rows of other vehicles come with a stream, and only its own is created", arguments: Place.Kind.allCases)
    func vehicles(kind: Place.Kind) async throws {
        let collector = try await Place(kind).collector()
        var copy = Self.first
        copy.vehicle = "Copy"
        let other = copy
        let rows = try await collector.transaction { database in
            _ = try database.received([other])
            return try database.received([Self.first])
        }
        #expect(rows == [Self.first: Received(), other: Received()])
        #expect(try await collector.transaction { database in try database.received([Self.second]) }.count == 1)
        // What one vehicle tells counts for the others.
        try await collector.transaction { database in
            var rows = try database.received([Self.first, other])
            rows[Self.first]?.numbers = NumberSet([1...2, 4...5])
            rows[Self.first]?.last = 5
            rows[other]?.numbers = NumberSet([6...7])
            rows[other]?.last = 7
            rows[other]?.lost = NumberSet([3...3])
            for (key, row) in rows.joined() { rows[key]?.outlook = row.outlook }
            rows[Self.first]?.outlook.hasHoles = true
            try database.save(rows)
        }
        let incomplete = try await collector.perform { database in try database.incomplete(limit: 9) }
        #expect(incomplete.keys.sorted() == [Self.first] && incomplete.values.allSatisfy(\.holes.isEmpty))
        let claimed = try await collector.perform { database in
            try database.gaps(limit: 9, at: Self.start, until: Self.start)
        }
        // A later epoch is there, so the end of this one is to be asked for, of both vehicles.
        #expect(Set(claimed.keys) == [Self.first, other] && claimed.values.allSatisfy(\.holes.isEmpty))
    }

    @Test("What is not committed is not there, and the next transaction works", arguments: Place.Kind.allCases)
    func rollback(kind: Place.Kind) async throws {
        let place = try await Place(kind)
        let collector = try place.collector()
        try await collector.perform { database in
            try database.begin()
            _ = try database.received([Self.first])
            try database.insert([SampleRow(time: 1, value: 1, series: 1, isSynchronised: true)])
            database.rollback()
            database.rollback()
            let error = #expect(throws: CollectError.self) { try database.commit() }
            #expect(error?.kind == .conflict)
        }
        // The streams of the transaction are not taken for known.
        let rows = try await collector.transaction { database in try database.received([Self.first, Self.second]) }
        #expect(rows.count == 2)
        #expect(try await place.query("SELECT count(*) FROM samples") == ["0"])
    }

    @Test("A row that is gone although the collector knows it is created anew", arguments: Place.Kind.allCases)
    func vanished(kind: Place.Kind) async throws {
        let place = try await Place(kind)
        let collector = try place.collector()
        try await collector.transaction { database in _ = try database.received([Self.first]) }
        try await place.query("DELETE FROM received")
        let rows = try await collector.transaction { database in try database.received([Self.first]) }
        #expect(rows == [Self.first: Received()])
    }

    // MARK: - Series

    @Test("A series keeps its id; one without a unit gets it once it is known", arguments: Place.Kind.allCases)
    func series(kind: Place.Kind) async throws {
        let collector = try await Place(kind).collector()
        @Sendable func key(_ parameter: String, _ unit: String?) -> SeriesKey {
            SeriesKey(vehicle: "van \"7\"", parameter: parameter, ecu: "7E8", unit: unit)
        }
        let (speed, unknown) = (key("speed", "km/h"), key("oil", nil))
        let first = try await collector.transaction { database in try database.series([unknown, speed, speed]) }
        #expect(first.count == 2 && Set(first.values).count == 2)
        let second = try await collector.transaction { database in
            try database.series([key("oil", "bar"), unknown, key("speed", nil), key("speed", "mph"), speed])
        }
        #expect(second[key("oil", "bar")] == first[unknown] && second[unknown] == first[unknown])
        #expect(second[speed] == first[speed])
        let mph = try #require(second[key("speed", "mph")])
        #expect(!first.values.contains(mph))
        // The newest one.
        let third = try await collector.transaction { database in try database.series([key("speed", nil)]) }
        #expect(third == [key("speed", nil): mph])
    }

    // MARK: - Rows

    @Test("Samples are in the view with their names", arguments: Place.Kind.allCases)
    func samples(kind: Place.Kind) async throws {
        let place = try await Place(kind)
        let key = SeriesKey(vehicle: "van", parameter: "speed", ecu: "7E8", unit: "km/h")
        try await place.collector().transaction { database in
            let id = try #require(try database.series([key])[key])
            try database.insert(
                (0..<1000).map { index in
                    SampleRow(
                        time: 1_700_000_000_000 + index,
                        value: Double(index) / 4,
                        series: id,
                        isSynchronised: index != 7
                    )
                }
            )
        }
        let time = kind == .sqlite ? "time" : "(extract(epoch FROM time) * 1000)::bigint"
        let answer = try await place.query(
            """
            SELECT count(*), sum(value), min(\(time)), max(\(time)), max(vehicle), max(parameter), max(ecu), max(unit), \
            sum(CASE WHEN synchronised THEN 0 ELSE 1 END) FROM sample_values
            """
        )
        let sum = kind == .sqlite ? "124875.0" : "124875"
        #expect(answer == ["1000|\(sum)|1700000000000|1700000000999|van|speed|7E8|km/h|1"])
    }

    @Test("Every table takes a full row, and one without its optional values", arguments: Place.Kind.allCases)
    func tables(kind: Place.Kind) async throws {
        let place = try await Place(kind)
        let collector = try place.collector()
        for table in CollectTable.allCases {
            try await collector.transaction { database in
                let rows = [false, true].map { isFull in
                    table.columns.map { column in Self.value(for: column, isFull) }
                }
                try database.insert(rows, into: table)
            }
            #expect(try await place.query("SELECT count(*) FROM \(table.rawValue)") == ["2"], "\(table)")
        }
        let body = kind == .sqlite ? "body -> '$.a'" : "body -> 'a'"
        let answer = try await place.query("SELECT vehicle, distance, \(body) FROM trips WHERE distance IS NOT NULL")
        #expect(answer == ["é{\"'\\|1.5|[1,null]"] || answer == ["é{\"'\\|1.5|[1, null]"])
    }

    private static func value(for column: CollectTable.Column, _ isFull: Bool) -> ColumnValue {
        if column.isOptional && !isFull { return .null }
        return switch column.type {
        case .bool: .bool(isFull)
        case .integer: .integer(isFull ? .max : 1)
        case .real: .real(1.5)
        case .text: .text("é{\"'\\")
        case .bytes: .bytes([0, 255])
        case .time: .time(Self.start)
        case .json: .json(Array(#"{"a":[1,null]}"#.utf8))
        }
    }

    @Test(
        "A row that is there already fails alone, as data, and leaves nothing of its transaction",
        arguments: Place.Kind.allCases
    )
    func invalid(kind: Place.Kind) async throws {
        let place = try await Place(kind)
        let collector = try place.collector()
        let row = CollectTable.events.columns.map { Self.value(for: $0, true) }
        try await collector.transaction { database in try database.insert([row], into: .events) }
        let error = await collector.error { database in
            try database.insert([SampleRow(time: 1, value: 1, series: 1, isSynchronised: true)])
            try database.insert([row], into: .events)
        }
        #expect(error?.kind == .invalid, "\(error?.description ?? "no error")")
        #expect(try await place.query("SELECT count(*) FROM samples", "SELECT count(*) FROM events") == ["0", "1"])
        // No value of the row is in the text.
        #expect(error?.description.contains("{\"'") == false)
    }

    @Test("The rejected messages are bounded, and the oldest go", arguments: Place.Kind.allCases)
    func rejected(kind: Place.Kind) async throws {
        let place = try await Place(kind)
        let collector = try place.collector()
        for part in 0..<3 {
            try await collector.transaction { database in
                let rows = (0..<400).map { index -> [ColumnValue] in
                    [.time(Self.start), .text("\(part * 400 + index)"), .bytes([]), .text("why")]
                }
                try database.insert(rows, into: .rejected)
            }
        }
        let answer = try await place.query("SELECT count(*), min(CAST(topic AS integer)) FROM rejected")
        #expect(answer == ["1000|200"])
    }

    // MARK: - States

    @Test("A state is replaced by a newer one and deleted by an empty one", arguments: Place.Kind.allCases)
    func states(kind: Place.Kind) async throws {
        let place = try await Place(kind)
        let collector = try place.collector()
        func state(_ topic: String, _ seconds: Int64?, _ body: String) -> CollectedState {
            let time = seconds.map { Timestamp(milliseconds: $0 * 1000) }
            let received = Timestamp(milliseconds: 10_000)
            return CollectedState(
                vehicle: "van",
                topic: topic,
                time: time,
                body: Array(body.utf8),
                receivedAt: received
            )
        }
        func bodies() async throws -> [String] {
            try await place.query("SELECT topic, body FROM states ORDER BY topic")
        }
        for (states, expected) in [
            ([state("codes", 5, "5"), state("status", nil, "1")], ["codes|5", "status|1"]),
            ([state("codes", 4, "4"), state("status", 1, "2")], ["codes|5", "status|2"]),
            ([state("codes", 5, "6"), state("status", nil, "3")], ["codes|6", "status|3"]),
            ([state("codes", nil, ""), state("status", 9, "4"), state("trip", nil, "")], ["status|4"]),
            // A clock that was ahead does not block what is right.
            ([state("status", 99, "5")], ["status|5"]), ([state("status", 8, "6")], ["status|6"]),
        ] {
            try await collector.transaction { database in try database.upsert(states) }
            #expect(try await bodies() == expected)
        }
    }

    // MARK: - Upkeep

    @Test("Streams with holes are claimed for one request at a time", arguments: Place.Kind.allCases)
    func gaps(kind: Place.Kind) async throws {
        let collector = try await Place(kind).collector()
        let now = Self.start
        func row(_ numbers: ClosedRange<UInt64>, through last: UInt64, ended: Bool = false, next: Timestamp? = nil)
            -> Received
        {
            var row = Received()
            row.numbers = NumberSet([numbers])
            row.last = last
            row.isEnded = ended
            row.nextAsk = next
            return row
        }
        func key(_ agent: String, _ epoch: UInt64, _ stream: RecordStream = .telemetry) -> StreamKey {
            StreamKey(agent: agent, vehicle: "van", stream: stream, epoch: epoch)
        }
        let rows: [StreamKey: Received] = [
            // A hole, at its time, too early, and as a clock wanted that was ahead.
            key("hole", 1): row(2...3, through: 3, next: now + .seconds(-1)),
            key("early", 1): row(2...3, through: 3, next: now + .seconds(1)),
            key("far", 1): row(2...3, through: 3, next: now + .seconds(10 * 365 * 86_400)),
            // The end of the responses does not matter.
            key("answer", 1, .responses): row(1...3, through: 3), key("answer", 2, .responses): row(1...1, through: 1),
            // An epoch whose end is unknown, and the present epoch.
            key("over", 1): row(1...3, through: 3), key("over", 2): row(1...3, through: 3),
            // An epoch whose end is known.
            key("done", 1): row(1...3, through: 3, ended: true), key("done", 2): row(1...3, through: 3),
        ]
        try await collector.transaction { database in
            _ = try database.received(Array(rows.keys))
            try database.save(rows.joined())
        }
        let incomplete = try await collector.perform { database in try database.incomplete(limit: 10) }
        #expect(Set(incomplete.keys.map(\.agent)) == ["hole", "early", "far"])
        func claim(_ limit: Int, _ seconds: Int) async throws -> [StreamKey: Received] {
            try await collector.perform { database in
                try database.gaps(limit: limit, at: now + .seconds(seconds), until: now + .seconds(seconds + 60))
            }
        }
        // Streams that were never asked for come first.
        let first = try await claim(1, 0)
        var expected = try #require(rows.joined()[key("over", 1)])
        expected.nextAsk = now + .seconds(60)
        #expect(first == [key("over", 1): expected])
        #expect(Set(try await claim(10, 0).keys.map(\.agent)) == ["hole", "far"])
        #expect(try await claim(10, 0).isEmpty)
        #expect(Set(try await claim(10, 100).keys.map(\.agent)) == ["over", "hole", "early", "far"])
    }

    @Test(
        "What is too old goes in steps; newer rows and the numbers that may still matter stay",
        arguments: Place.Kind.allCases
    )
    func prune(kind: Place.Kind) async throws {
        let place = try await Place(kind)
        let collector = try place.collector()
        let key = SeriesKey(vehicle: "van", parameter: "speed", ecu: "7E8")
        try await collector.transaction { database in
            let id = try #require(try database.series([key])[key])
            try database.insert((0..<100).map { SampleRow(time: $0, value: 1, series: id, isSynchronised: true) })
            for table in CollectTable.allCases {
                try database.insert([table.columns.map { Self.value(for: $0, true) }], into: table)
            }
            var ended = Received()
            ended.isEnded = true
            ended.outlook.isEndKnown = true
            _ = try database.received([Self.first, Self.second])
            try database.save([Self.first: ended, Self.second: ended])
        }
        func prune(_ milliseconds: Int64, _ limit: Int) async throws -> Int {
            try await collector.perform { database in
                try database.prune(before: Timestamp(milliseconds: milliseconds), limit: limit)
            }
        }
        #expect(try await prune(50, 30) == 30)
        #expect(try await prune(50, 30) == 20)
        #expect(try await prune(50, 30) == 0)
        #expect(try await place.query("SELECT count(*) FROM samples") == ["50"])
        #expect(try await prune(Self.start.milliseconds, 1000) == 50)
        #expect(try await prune(Self.start.milliseconds + 1, 1000) == CollectTable.allCases.count)
        // An agent may still send records of these streams again, then no more.
        #expect(try await prune(4_000_000_000_000, 1000) == 0)
        try await place.query("UPDATE received SET updated = \(kind == .sqlite ? "0" : "'epoch'")")
        #expect(try await prune(4_000_000_000_000, 1000) == 1)
        #expect(try await place.query("SELECT epoch FROM received") == ["2"])
    }

    // MARK: - Versions

    @Test("An opened database is taken as it is", arguments: Place.Kind.allCases)
    func reopened(kind: Place.Kind) async throws {
        let place = try await Place(kind)
        do {
            try await place.collector().transaction { database in _ = try database.received([Self.first]) }
        }
        try await place.collector().perform { database in try database.open() }
        #expect(try await place.query("SELECT count(*) FROM received", "SELECT count(*) FROM meta") == ["1", "1"])
    }

    @Test("A newer schema is refused, and left alone", arguments: Place.Kind.allCases)
    func newer(kind: Place.Kind) async throws {
        let place = try await Place(kind)
        do { try await place.collector().perform { database in try database.open() } }
        try await place.query("UPDATE meta SET value = '99'")
        let error = await #expect(throws: CollectError.self) {
            try await place.collector().perform { database in try database.open() }
        }
        #expect(error?.kind == .refused && error?.description.contains("version 99") == true)
        #expect(try await place.query("SELECT value FROM meta") == ["99"])
    }

    @Test(
        "A database of another program is refused, and left alone",
        arguments: Place.Kind.allCases,
        ["CREATE TABLE meta (name text, value text)", "CREATE TABLE events (a integer)"]
    )
    func foreign(kind: Place.Kind, table: String) async throws {
        let place = try await Place(kind)
        try await place.query(table)
        let error = await #expect(throws: CollectError.self) {
            try await place.collector().perform { database in try database.open() }
        }
        #expect(error?.kind == .refused, "\(error?.description ?? "no error")")
        let tables =
            kind == .sqlite
            ? "SELECT count(*) FROM sqlite_schema" : "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
        #expect(try await place.query(tables) == ["1"])
    }
}
