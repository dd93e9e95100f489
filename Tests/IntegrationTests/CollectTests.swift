// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Collect
import FoundationEssentials
import SQLite
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("The records of a fleet in a database", .timeLimit(.minutes(10)))
struct CollectTests {
    /// A trouble in the middle of the collection.
    enum Trouble: CaseIterable, Sendable {
        case none, collectorKilled, brokerKilled, brokerRestarted

        func happen(_ bench: Bench, _ collect: CollectBench, _ collector: inout ChildProcess) async throws {
            switch self {
            case .none: break
            case .collectorKilled:
                for _ in 0..<3 {
                    collector.signal(9)
                    _ = try await collector.exitStatus()
                    collector = try collect.start()
                    // The collector may be killed in the middle of its start, too.
                    _ = try await collector.errors.next("the connection") { $0.contains("Connected to") }
                }
            case .brokerKilled:
                try await bench.broker.kill()
                try await bench.broker.restart()
            case .brokerRestarted:
                try await bench.broker.stop()
                try await bench.broker.restart()
            }
        }
    }

    private static func settings(_ car: SimulatedCar) -> Bench.Settings {
        var settings = Bench.Settings(adapter: car.address, parameters: ["engine_speed = 0.2", "vehicle_speed = 0.5"])
        settings.allow.append("resend")
        settings.storeWindow = 0
        return settings
    }

    /// Collects, has a trouble, collects on, and compares the samples with the agent's own.
    private static func collect(_ collect: CollectBench, _ trouble: Trouble) async throws {
        let bench = collect.bench
        let car = try await SimulatedCar()
        var collector = try collect.start()
        defer { collector.signal(9) }
        let agent = try bench.start(Self.settings(car))
        defer { agent.signal() }
        let before = try await collect.records(5)
        try await trouble.happen(bench, collect, &collector)
        let after = try await collect.records(before.recordCount + 10)
        try await after.compare(with: bench)
        let last = collector
        last.signal()
        #expect(try await within("the end") { try await last.exitStatus() } == .exited(0))
    }

    @Test("Each sample is in the file once, whatever happens on the way", arguments: Trouble.allCases)
    func file(trouble: Trouble) async throws {
        try await Bench.run(weight: 2) { bench in try await Self.collect(CollectBench(bench), trouble) }
    }

    @Test("Each sample is in PostgreSQL once, whatever happens on the way", arguments: Trouble.allCases)
    func server(trouble: Trouble) async throws {
        try await Bench.run(weight: 3) { bench in
            let server = try await PostgresServer()
            try await Self.collect(CollectBench(bench, server), trouble)
        }
    }

    @Test("A database that stops and starts again loses nothing")
    func databaseRestarted() async throws {
        try await Bench.run(weight: 3) { bench in
            let server = try await PostgresServer()
            let collect = CollectBench(bench, server)
            let car = try await SimulatedCar()
            let collector = try collect.start()
            defer { collector.signal(9) }
            let agent = try bench.start(Self.settings(car))
            defer { agent.signal() }
            let before = try await collect.records(5)
            try await server.stop()
            _ = try await collector.errors.next("the loss") { $0.contains("the database does not answer") }
            let count = await bench.observer.count
            _ = try await bench.first("telemetry", of: vin, after: count)
            try await server.start()
            try await collect.records(before.recordCount + 10).compare(with: bench)
        }
    }

    @Test("A file that is deleted while the collector runs is made anew, and has what was acknowledged since")
    func fileDeleted() async throws {
        try await Bench.run(weight: 2) { bench in
            let collect = CollectBench(bench)
            let car = try await SimulatedCar()
            let collector = try collect.start()
            defer { collector.signal(9) }
            let agent = try bench.start(Self.settings(car))
            defer { agent.signal() }
            try await collect.records(5)
            for end in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: collect.database + end) }
            _ = try await collector.errors.next("the loss") { $0.contains("was deleted, moved or replaced") }
            let found = try await within("records in the new file") {
                while true {
                    let count = await bench.observer.count
                    if let found = CollectedSamples(file: collect.database), found.recordCount >= 3 { return found }
                    _ = try await bench.first("telemetry", of: vin, after: count)
                }
            }
            try await found.compare(with: bench)
        }
    }

    @Test("Two collectors of a group write each record once, also if one is killed and comes back")
    func group() async throws {
        try await Bench.run(weight: 3) { bench in
            let server = try await PostgresServer()
            let car = try await SimulatedCar()
            let first = CollectBench(bench, server, ["--share", "all", "--client-id", "one"])
            let second = CollectBench(bench, server, ["--share", "all", "--client-id", "two"])
            let (one, two) = (try first.start(), try second.start())
            defer { [one, two].forEach { $0.signal(9) } }
            for collector in [one, two] {
                _ = try await collector.errors.next("the connection") { $0.contains("Connected to") }
            }
            let agent = try bench.start(Self.settings(car))
            defer { agent.signal() }
            let before = try await first.records(8)
            one.signal(9)
            _ = try await one.exitStatus()
            let back = try first.start()
            defer { back.signal(9) }
            try await first.records(before.recordCount + 10).compare(with: bench)
        }
    }

    @Test("What comes while no collector runs comes later; --once ends when all is there")
    func away() async throws {
        try await Bench.run(weight: 2) { bench in
            let collect = CollectBench(bench)
            let first = try collect.start(["--once"])
            #expect(try await within("the end") { try await first.exitStatus() } == .exited(0))
            let car = try await SimulatedCar()
            let agent = try bench.start(Self.settings(car))
            let record = try await bench.first("telemetry", of: vin) { ($0.json["seq"].count ?? 0) >= 5 }
            agent.signal()
            _ = try await agent.exitStatus()
            #expect(CollectedSamples(file: collect.database)?.samples.isEmpty == true)
            let second = try collect.start(["--once"])
            #expect(try await within("the end") { try await second.exitStatus() } == .exited(0))
            let found = try #require(CollectedSamples(file: collect.database))
            #expect(found.recordCount >= record.json["seq"].count ?? .max)
            try await found.compare(with: bench)
        }
    }

    @Test("A message that is no record becomes a row with its reason, and the others are written")
    func nonsense() async throws {
        try await Bench.run { bench in
            // The bench holds each message at its broker against the contract, so these go to another one.
            let broker = try await Broker()
            let collect = CollectBench(bench)
            let collector = try collect.start(to: broker)
            defer { collector.signal(9) }
            _ = try await collector.errors.next("the connection") { $0.contains("Connected to") }
            let record = """
                {"v":1,"agent":"0123456789ab","epoch":7,"seq":1,"clock":"synchronised","boot":"b",\
                "t0":"2026-11-21T10:00:00.000Z","series":{"engine_speed":{"ecu":"7E8","scale":0.25,"dt":[0],"dv":[3400]}}}
                """
            let publisher = Publisher(broker)
            for bytes in [[0xFF, 0x00], Array("[]".utf8), Array("{\"v\":2}".utf8), Array(record.utf8)] as [[UInt8]] {
                try await publisher.publish(bytes, to: "obd/van/telemetry")
            }
            try await eventually("the rows") {
                let database = try Database(collect.database, .readOnly)
                let count = try database.integer("SELECT count(*) FROM rejected WHERE topic = 'obd/van/telemetry'")
                return count == 3 && CollectedSamples(file: collect.database)?.samples.count == 1
            }
        }
    }

    @Test("A second collector of one file ends, and says which process has it")
    func secondCollector() async throws {
        try await Bench.run { bench in
            let collect = CollectBench(bench)
            let first = try collect.start()
            defer { first.signal(9) }
            _ = try await first.errors.next("the connection") { $0.contains("Connected to") }
            try await eventually("the file") { CollectedSamples(file: collect.database) != nil }
            let second = try collect.start(["--client-id", "second"])
            #expect(try await within("the end") { try await second.exitStatus() } == .exited(78))
            let errors = await second.errors.reduce(into: [String]()) { $0.append($1) }
            #expect(errors.contains { $0.contains("in use by process \(first.processID)") }, "\(errors)")
        }
    }
}
