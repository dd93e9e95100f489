// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import SQLite
import Store
import Testing

@testable import Store

@Suite("Retention of records and vehicles")
struct RetentionTests {
    private static let day: Int64 = 86_400_000

    private static func time(days: Int64, _ milliseconds: Int64 = 0) -> MonotonicTime {
        MonotonicTime(sinceBoot: .milliseconds(days * Self.day + milliseconds))
    }

    /// Removes expired records, as after hours with a right clock.
    private static func look(_ store: Store, at now: MonotonicTime, _ start: BootStart = Bench.start) async {
        for wait in [Duration.zero, RetentionSchedule.settlingTime] {
            await store.append(Array("{\"n\":0}".utf8), to: .events, at: now, destination: .init(vehicle: "now"))
            await store.flush(.init(now: now + wait, start: start))
        }
    }

    private static func numbers(_ stream: RecordStream, _ bench: Bench) throws -> [Int64] {
        var numbers: [Int64] = []
        try Database(bench.path, .readOnly)
            .run("SELECT at FROM \(stream.rawValue) WHERE vehicle <> 'now' ORDER BY id") { row in
                numbers.append(row.integer(0) ?? -1)
            }
        return numbers
    }

    private static func append(_ store: Store, _ stream: RecordStream, _ days: ClosedRange<Int64>) async {
        for day in days {
            await store.append(
                Array("{\"n\":\(day)}".utf8),
                to: stream,
                at: Self.time(days: day),
                destination: .init(vehicle: "van"),
                isCritical: stream == .responses
            )
        }
    }

    @Test("Acknowledged records expire after some days; the others stay", arguments: [0, 20] as [UInt64])
    func days(acknowledged: UInt64) async throws {
        let bench = try Bench()
        let store = bench.store(keepDays: 30)
        _ = await store.open(at: .zero)
        await Self.append(store, .telemetry, 1...40)
        while let record = await store.next(), record.id.seq <= acknowledged {
            await store.acknowledge(record.stream, record.id)
        }
        await Self.look(store, at: Self.time(days: 45))
        let expected: [Int64] = acknowledged == 0 ? Array(1...40) : Array(16...40)
        #expect(try Self.numbers(.telemetry, bench) == expected.map { $0 * Self.day })
        #expect(await store.takeGaps().isEmpty)
        #expect(await store.status.records == 40 - Int(acknowledged) + 2)
    }

    @Test("Without a recording, acknowledged records are removed with the next write, or never written")
    func nothing() async throws {
        let bench = try Bench()
        let store = bench.store(keepDays: 0)
        _ = await store.open(at: .zero)
        await Self.append(store, .telemetry, 1...4)
        await store.save()
        await Self.append(store, .telemetry, 5...8)
        for _ in 0..<6 {
            if let record = await store.next() { await store.acknowledge(record.stream, record.id) }
        }
        #expect(try Self.numbers(.telemetry, bench).count == 4)
        await store.save()
        #expect(try Self.numbers(.telemetry, bench) == [7 * Self.day, 8 * Self.day])
    }

    @Test("A response without an acknowledgement expires after two days, and becomes a gap")
    func responses() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        await Self.append(store, .responses, 1...5)
        await Self.look(store, at: Self.time(days: 5, 1))
        #expect(try Self.numbers(.responses, bench) == [4 * Self.day, 5 * Self.day])
        let gaps = await store.takeGaps()
        #expect(gaps.map(\.stream) == [.responses] && gaps.first?.range == 1...3)
        #expect(await store.next()?.id.seq == 4)
    }

    @Test("Records of a boot without a date expire when a later boot is old enough")
    func undated() async throws {
        let bench = try Bench()
        for boot in ["first", "second", "third"] {
            let store = bench.store(boot: boot, keepDays: 10)
            _ = await store.open(at: .zero)
            await Self.append(store, .telemetry, 1...3)
            let quality = boot == "first" ? ClockQuality.unsynchronised : .synchronised
            let date = Timestamp(milliseconds: boot == "third" ? 11 * Self.day : 0)
            while let record = await store.next() { await store.acknowledge(record.stream, record.id) }
            await Self.look(store, at: Self.time(days: 3), BootStart(date: date, quality: quality))
            let count = try Self.numbers(.telemetry, bench).count
            // At the end it is the 14th: the third day of the second boot has not expired, nor has the third boot.
            #expect(count == ["first": 3, "second": 6, "third": 3][boot])
        }
    }

    @Test("Nothing expires while the date is untrusted, or has just stepped")
    func steps() {
        var schedule = RetentionSchedule(keepDays: 1)
        func look(_ seconds: Int64, year: Int64, _ quality: ClockQuality = .synchronised) -> Bool {
            let start = BootStart(date: Timestamp(milliseconds: year * 365 * Self.day), quality: quality)
            return schedule.expiry(at: MonotonicTime(sinceBoot: .seconds(seconds)), start) != nil
        }
        #expect(!look(0, year: 50) && !look(599, year: 50) && look(600, year: 50))
        #expect(!look(4199, year: 50) && look(4200, year: 50))
        #expect(!look(9000, year: 100) && !look(9500, year: 100) && !look(9600, year: 50) && !look(10_199, year: 50))
        #expect(look(10_200, year: 50))
        #expect(!look(20_000, year: 50, .unsynchronised) && !look(20_001, year: 50) && look(20_601, year: 50))
    }

    @Test("A vehicle without records is forgotten, except for the connected one")
    func forgotten() async throws {
        let bench = try Bench()
        let store = bench.store(keepDays: 30)
        _ = await store.open(at: .zero)
        func names(_ table: String, _ column: String = "vehicle") throws -> [String] {
            var names: [String] = []
            let sql = "SELECT DISTINCT \(column) FROM \(table) ORDER BY 1"
            try Database(bench.path, .readOnly).run(sql) { names += [$0.text(0) ?? ""] }
            return names
        }
        for (day, name) in [(1, "one"), (3, "two"), (40, "one"), (41, "three"), (60, "four")] as [(Int64, String)] {
            let time = Self.time(days: day)
            await store.remember(VehicleEntry(name: name, vin: nil, at: time))
            for kind in StoredState.Kind.allCases { await store.remember(StoredState(kind, [1]), of: name) }
            await store.remember(
                CommandEntry(
                    id: "\(day)",
                    at: time,
                    state: .succeeded,
                    response: [1],
                    destination: .init(vehicle: name)
                )
            )
            let body = Array("{\"n\":1}".utf8)
            await store.append(body, to: .telemetry, at: time, destination: .init(vehicle: name))
            let value = LastValue(
                vehicle: name,
                series: "engine_speed",
                ecu: "7E8",
                value: 1,
                label: nil,
                unit: "rpm",
                at: time
            )
            await store.flush(.init(now: time, start: Bench.start, values: [value]))
        }
        while let record = await store.next() { await store.acknowledge(record.stream, record.id) }
        await Self.look(store, at: Self.time(days: 70, Self.day / 2))
        for table in ["vehicle_states", "last_values"] { #expect(try names(table) == ["four", "one", "three"]) }
        #expect(try names("vehicles", "name") == ["four", "one", "three"])
        while let record = await store.next() { await store.acknowledge(record.stream, record.id) }
        await Self.look(store, at: Self.time(days: 200))
        for table in ["vehicle_states", "last_values"] { #expect(try names(table) == ["four"]) }
        // Copies of these commands may still arrive, whichever vehicle is connected.
        #expect(try names("commands") == ["four", "one", "three"])
        #expect(try names("vehicles", "name") == ["four"])
    }

    @Test(
        "Interrupted commands are found in a database of every version that has no state of commands",
        arguments: 1..<6
    )
    func interruptedCommands(version: Int) async throws {
        let bench = try Bench()
        let nested = #"{"id":"done","result":{"state":"accepted"},"state":"succeeded"}"#
        let bodies = [
            #"{"command":"clear_codes","id":"cut","state":"accepted"}"#, nested,
            #"{"id":"refused","message":"\"state\":\"accepted\"","state":"refused"}"#, "no JSON",
            #"{"id":"last","state" : "accepted"}"#,
        ]
        do {
            let database = try Database(bench.path)
            for statement in Schema.migrations[..<version].joined() { try database.run(statement) }
            try database.run("PRAGMA user_version = \(version)")
            try database.run("INSERT INTO boots VALUES (3, 'boot', 1000000, 1)")
            for (number, body) in bodies.enumerated() {
                try database.run(
                    "INSERT INTO commands (id, boot, at, response) VALUES (?, 3, 5, ?)",
                    [.text("\(number)"), .blob(Array(body.utf8))]
                )
            }
        }
        let store = bench.store()
        let found = await store.open(at: .zero).unfinished.map { String(decoding: $0.response, as: UTF8.self) }
        #expect(found == [bodies[0], bodies[4]])
        #expect(try await store.response(to: "1") == Array(nested.utf8))
    }

    @Test("A command is interrupted until its last response is in the journal")
    func endedCommands() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        for (id, states) in [
            ("cut", [.accepted]), ("run", [.accepted, .running]), ("done", [.accepted, .succeeded]), ("no", [.refused]),
        ] as [(String, [CommandResponse.State])] {
            for state in states {
                await store.remember(
                    CommandEntry(
                        id: id,
                        at: .zero,
                        state: state,
                        response: Array(id.utf8),
                        destination: .init(vehicle: "van", responseTopic: "desk")
                    )
                )
                await store.save()
            }
        }
        let unfinished = await bench.store().open(at: .zero).unfinished
        #expect(unfinished.map { String(decoding: $0.response, as: UTF8.self) } == ["cut", "run"])
        #expect(unfinished.allSatisfy { $0.destination == .init(vehicle: "van", responseTopic: "desk") })
    }

    @Test("A database of version 1 keeps its records, and gets the new tables")
    func migration() async throws {
        let bench = try Bench()
        do {
            let database = try Database(bench.path)
            for statement in Schema.migrations[0] { try database.run(statement) }
            try database.run("PRAGMA user_version = 1")
            try database.run("INSERT INTO meta VALUES ('epoch', 41)")
            try database.run("INSERT INTO boots VALUES (3, 'boot', 1000000, 1)")
            let id = RecordID(epoch: 41, seq: 7).rawValue
            try database.run(
                "INSERT INTO telemetry VALUES (?, 3, 5, 'van', ?, 0, NULL, NULL)",
                [.integer(id), .blob(Array("{\"n\":5,\"x\":\"\"}".utf8))]
            )
            try database.run("INSERT INTO commands VALUES (1, 'a', 3, 5, x'02')")
            try database.run("INSERT INTO selections VALUES ('van', x'07')")
            try database.run("INSERT INTO vehicles VALUES (1, 'van', NULL, 3, 5)")
        }
        let store = bench.store()
        #expect(await store.open(at: .zero).vehicle == "van")
        #expect(await store.drain() == ["t41:7=5"])
        #expect(try await store.response(to: "a") == [2])
        #expect(await store.state(.selection, of: "van") == [7])
        await store.remember(
            CommandEntry(id: "b", at: .zero, state: .succeeded, response: [3], destination: .init(vehicle: "van"))
        )
        await store.save()
        #expect(await store.problem == nil)
        #expect(try Database(bench.path, .readOnly).integer("PRAGMA user_version") == Schema.version)
    }

    @Test("A database with a table for each kind of state keeps the states of all vehicles")
    func statesOfVersion9() async throws {
        let bench = try Bench()
        do {
            let database = try Database(bench.path)
            for statement in Schema.migrations[..<9].joined() { try database.run(statement) }
            try database.run("PRAGMA user_version = 9")
            try database.run("INSERT INTO selections VALUES ('van', x'01'), ('car', x'02')")
            try database.run("INSERT INTO detections VALUES ('van', x'03')")
            try database.run("INSERT INTO trips VALUES ('car', x'04')")
        }
        let store = bench.store()
        _ = await store.open(at: .zero)
        func states(of vehicle: String) async -> [[UInt8]?] {
            var states: [[UInt8]?] = []
            for kind in [StoredState.Kind.selection, .detection, .trips, .limits] {
                states.append(await store.state(kind, of: vehicle))
            }
            return states
        }
        #expect(await states(of: "van") == [[1], [3], nil, nil])
        #expect(await states(of: "car") == [[2], nil, [4], nil])
        let left = "SELECT count(*) FROM sqlite_schema WHERE name IN ('selections', 'detections', 'trips')"
        #expect(try Database(bench.path, .readOnly).integer(left) == 0)
    }
}
