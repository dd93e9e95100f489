// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import PostgreSQL
import TestSupport
import Testing

@testable import Collect

@Suite("A PostgreSQL database of a fleet", .server)
struct PostgreSQLDatabaseTests {
    private static let key = StreamKey(agent: "a-1", vehicle: "van", stream: .telemetry, epoch: 1)

    @Test("Two collectors that get the same records write each once")
    func twoWriters() async throws {
        let place = try await Place(.postgreSQL)
        let collectors = [try place.collector(), try place.collector()]
        try await withThrowingTaskGroup { group in
            for collector in collectors {
                group.addTask {
                    for number in UInt64(1)...50 {
                        try await Self.write(number, by: collector, in: number.isMultiple(of: 2) ? 1...3 : 2...4)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await place.query("SELECT count(*), count(DISTINCT time) FROM samples") == ["50|50"])
        #expect(try await place.query("SELECT DISTINCT numbers FROM received WHERE epoch = 2") == ["1-50"])
    }

    /// Writes a record as a sample at a time of its own, unless it is there; locks several streams, in different orders.
    private static func write(_ number: UInt64, by collector: Collector, in epochs: ClosedRange<UInt64>) async throws {
        let keys = epochs.map { StreamKey(agent: "a-1", vehicle: "van", stream: .telemetry, epoch: $0) }
        let key = StreamKey(agent: "a-1", vehicle: "van", stream: .telemetry, epoch: 2)
        while true {
            let error = await collector.error { database in
                var rows = try database.received(number.isMultiple(of: 3) ? keys.reversed() : keys)
                guard rows[key]?.numbers.insert(number) == true else { return }
                try database.insert([SampleRow(time: Int64(number), value: 1, series: 1, isSynchronised: true)])
                try database.save(rows)
            }
            if let error, error.kind != .conflict { throw error }
            if error == nil { return }
        }
    }

    @Test("Collectors that start at once create the tables once, and the same series once")
    func atOnce() async throws {
        let place = try await Place(.postgreSQL)
        let keys = (0..<20).map { SeriesKey(vehicle: "van", parameter: "p\($0)", ecu: "7E8", unit: "km") }
        let ids = try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                let collector = try place.collector()
                group.addTask {
                    while true {
                        do throws(any Error) {
                            return try await collector.transaction { database in try database.series(keys) }
                        } catch let error as CollectError where error.kind == .conflict {}
                    }
                }
            }
            var ids: [[SeriesKey: Int64]] = []
            for try await each in group { ids.append(each) }
            return ids
        }
        #expect(Set(ids).count == 1 && ids[0].count == 20)
        #expect(try await place.query("SELECT count(*) FROM series") == ["20"])
    }

    @Test("A claim leaves out what another collector is writing")
    func skipsLocked() async throws {
        let place = try await Place(.postgreSQL)
        let (writer, claimant) = (try place.collector(), try place.collector())
        try await writer.transaction { database in
            var row = Received()
            row.last = 5
            row.outlook.hasHoles = true
            _ = try database.received([Self.key])
            try database.save([Self.key: row])
        }
        try await writer.perform { database in
            try database.begin()
            _ = try database.received([Self.key])
        }
        func claim() async throws -> Int {
            try await claimant.perform { database in
                try database.gaps(limit: 10, at: .init(milliseconds: 1), until: .init(milliseconds: 2)).count
            }
        }
        try await claimant.perform { database in try database.open() }
        #expect(try await claim() == 0)
        await writer.perform { database in database.rollback() }
        #expect(try await claim() == 1)
    }

    @Test("A writer that waits too long for another has a conflict")
    func lockTimeout() async throws {
        let place = try await Place(.postgreSQL)
        let first = try place.collector()
        let second = try place.collector(timeouts: PostgreSQLTimeouts(lock: .milliseconds(50)))
        try await first.transaction { database in _ = try database.received([Self.key]) }
        try await first.perform { database in
            try database.begin()
            _ = try database.received([Self.key])
        }
        let error = await second.error { database in _ = try database.received([Self.key]) }
        #expect(error?.kind == .conflict, "\(error?.description ?? "no error")")
        await first.perform { database in database.rollback() }
        #expect(await second.error { database in _ = try database.received([Self.key]) } == nil)
    }

    @Test("A server that stops within a transaction takes it back; the next one connects by itself")
    func restart() async throws {
        let server = try await PostgresServer()
        let target = try PostgreSQLTarget(server.address(), name: "test")
        let collector = Collector(target, PostgreSQLTimeouts(), PollInterrupt())
        try await collector.transaction { database in _ = try database.received([Self.key]) }
        let sample = SampleRow(time: 1, value: 1, series: 1, isSynchronised: true)
        try await collector.perform { database in
            try database.begin()
            _ = try database.received([Self.key])
            try database.insert([sample])
        }
        try await server.stop()
        for _ in 0..<2 {
            let error = await collector.error { database in try database.insert([sample]) }
            #expect(error?.kind == .unreachable, "\(error?.description ?? "no error")")
        }
        let late = await #expect(throws: CollectError.self) {
            try await collector.perform { database in try database.commit() }
        }
        #expect(late != nil)
        try await server.start()
        try await collector.transaction { database in try database.insert([sample]) }
        #expect(try await server.run(["SELECT count(*) FROM samples"]) == ["1"])
        try await server.stop()
    }

    @Test("A commit is on the disk even where the server's default is not to wait for it")
    func synchronous() async throws {
        let place = try await Place(.postgreSQL)
        try await place.query("ALTER DATABASE \(place.name) SET synchronous_commit = off")
        try await place.query("CREATE TABLE seen AS SELECT ''::text AS value")
        try await place.query(
            """
            CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS \
            'BEGIN UPDATE seen SET value = current_setting(''synchronous_commit''); RETURN new; END'
            """
        )
        let collector = try place.collector()
        try await collector.perform { database in try database.open() }
        try await place.query("CREATE TRIGGER note BEFORE INSERT ON received FOR EACH ROW EXECUTE FUNCTION note()")
        try await collector.transaction { database in _ = try database.received([Self.key]) }
        #expect(try await place.query("SELECT value FROM seen") == ["on"])
    }

    @Test("A database in another encoding than UTF-8, and a role that may not create tables, are refused")
    func refused() async throws {
        let server = try #require(ServerTrait.server)
        try await server.run([
            "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0", "CREATE ROLE guest LOGIN",
            "CREATE DATABASE closed",
        ])
        try await server.run(["REVOKE ALL ON SCHEMA public FROM public"], in: "closed")
        for (address, word) in [
            (server.address(of: "latin"), "UTF8"), (server.address(of: "closed", user: "guest"), "search path"),
        ] {
            let collector = try Collector(
                PostgreSQLTarget(address, name: "test"),
                PostgreSQLTimeouts(),
                PollInterrupt()
            )
            let error = await collector.error { _ in }
            #expect(error?.kind == .refused && error?.description.contains(word) == true, "\(error?.description ?? "")")
        }
    }

    @Test("TimescaleDB, where it is there, gets the samples and drops what is too old; without it nothing changes")
    func hypertable() async throws {
        let place = try await Place(.postgreSQL)
        // Functions with the names and parameters of TimescaleDB's, which write down how they are called.
        try await place.query(
            "CREATE TABLE calls (what text)",
            """
            CREATE FUNCTION create_hypertable(relation regclass, time_column_name name, \
            chunk_time_interval anyelement DEFAULT NULL::bigint, create_default_indexes boolean DEFAULT true) \
            RETURNS void LANGUAGE sql AS $$INSERT INTO calls VALUES (format('%s %s %s %s', relation, \
            time_column_name, chunk_time_interval, create_default_indexes))$$
            """,
            """
            CREATE FUNCTION drop_chunks(relation regclass, older_than "any" DEFAULT NULL) RETURNS SETOF text \
            LANGUAGE internal AS 'pg_num_nulls'
            """
        )
        let collector = try place.collector()
        try await collector.perform { database in
            try database.open()
            #expect((database as? PostgreSQLCollectDatabase)?.hasHypertable == true)
        }
        #expect(try await place.query("SELECT what FROM calls") == ["samples time 1 day f"])
        let plain = try await Place(.postgreSQL).collector()
        try await plain.perform { database in
            try database.open()
            #expect((database as? PostgreSQLCollectDatabase)?.hasHypertable == false)
        }
    }
}
