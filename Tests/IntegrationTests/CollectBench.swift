// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Collect
import FoundationEssentials
import SQLite
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

/// The samples of a collector's database, and the numbers of the records that they came with.
struct CollectedSamples: Sendable {
    struct Sample: Hashable, Sendable {
        var time: Int64
        /// The name of the parameter without its ECU.
        var parameter: String
        /// The value in millionths, because a program may print it with fewer digits.
        var value: Double

        init(time: Int64, parameter: String, value: Double) {
            self.time = time
            self.parameter = String(parameter.prefix { $0 != "/" })
            self.value = (value * 1_000_000).rounded()
        }
    }

    var samples: [Sample] = []
    /// The numbers of the records of telemetry, by epoch.
    var numbers: [UInt64: NumberSet] = [:]
    var hasHoles = false

    /// The number of records of telemetry.
    var recordCount: UInt64 { self.numbers.values.reduce(0) { $0 + $1.count } }

    private static let statements = (
        // Views of a file are not run: it may come from a stranger.
        samples: "SELECT %, n.parameter, s.value FROM samples s JOIN series n ON n.id = s.series",
        numbers: "SELECT epoch, numbers, has_holes FROM received WHERE stream = 'telemetry'"
    )

    /// Reads a file of SQLite in one transaction; nil if it has no tables yet.
    init?(file path: String) {
        var found = CollectedSamples()
        do {
            let database = try Database(path, .readOnly)
            try database.run("BEGIN")
            try database.run(Self.statements.samples.replacing("%", with: "s.time")) { row in
                found.add(row.integer(0), row.text(1), row.real(2))
            }
            try database.run(Self.statements.numbers) { row in
                found.add(row.integer(0), row.text(1), hasHoles: row.integer(2) == 1)
            }
        } catch {
            return nil
        }
        self = found
    }

    /// Reads a database of PostgreSQL; nil if it has no tables yet.
    init?(_ server: PostgresServer) async throws {
        let time = "round(extract(epoch FROM s.time) * 1000)::bigint"
        let samples = Self.statements.samples.replacing("%", with: time)
        let transaction = "BEGIN ISOLATION LEVEL REPEATABLE READ"
        guard let lines = try? await server.run([transaction, samples, Self.statements.numbers]) else { return nil }
        var found = CollectedSamples()
        for line in lines {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            guard cells.count == 3 else { continue }
            if ["t", "f"].contains(cells[2]) {
                found.add(Int64(cells[0]), cells[1], hasHoles: cells[2] == "t")
            } else {
                found.add(Int64(cells[0]), cells[1], Double(cells[2]))
            }
        }
        self = found
    }

    private init() {}

    private mutating func add(_ time: Int64?, _ parameter: String?, _ value: Double?) {
        guard let time, let parameter, let value else { return }
        self.samples.append(Sample(time: time, parameter: parameter, value: value))
    }

    private mutating func add(_ epoch: Int64?, _ numbers: String?, hasHoles: Bool) {
        guard let epoch, let set = numbers.flatMap({ NumberSet($0) }) else { return }
        // An agent has a row for each name that its vehicle has had.
        self.numbers[UInt64(epoch), default: NumberSet()].formUnion(set)
        self.hasHoles = self.hasHoles || hasHoles
    }

    /// Compares the samples with the agent's own recording of the same records.
    func compare(with bench: Bench) async throws {
        let program = try Program(builtHere: "obd-agent")
        let lines = try await program.run(["export", "--directory", bench.directory.path, "--format", "jsonl"])
        var recorded: [Sample: Int] = [:]
        for line in lines {
            let json = JSON(payload: Array(line.utf8))
            guard let epoch = json["epoch"].count, let seq = json["seq"].count, let time = json["time"].time,
                let name = json["parameter"].string, let value = json["value"].double,
                self.numbers[epoch]?.contains(seq) == true
            else { continue }
            let sample = Sample(time: time.milliseconds, parameter: name, value: value)
            recorded[sample, default: 0] += 1
        }
        let collected = self.samples.reduce(into: [Sample: Int]()) { $0[$1, default: 0] += 1 }
        #expect(!recorded.isEmpty && recorded == collected)
    }
}

/// The program `obd-remote collect` beside a broker.
struct CollectBench: Sendable {
    let bench: Bench
    /// An SQLite file, or the URL of a database of PostgreSQL.
    let database: String
    let arguments: [String]
    /// Reads the database; nil if it has no tables yet.
    let read: @Sendable () async throws -> CollectedSamples?

    var statusFile: String { "\(self.bench.directory.path)/collector.json" }

    /// A collector that writes into a file.
    init(_ bench: Bench, _ arguments: [String] = []) {
        let path = "\(bench.directory.path)/fleet.db"
        (self.bench, self.database, self.arguments) = (bench, path, arguments)
        self.read = { CollectedSamples(file: path) }
    }

    /// A collector that writes into a database of PostgreSQL.
    init(_ bench: Bench, _ server: PostgresServer, _ arguments: [String] = []) {
        let words = server.address().split(separator: " ").map { $0.split(separator: "=").map(String.init) }
        let pairs = words.filter { $0.count == 2 && $0[0] != "dbname" }.map { "\($0[0])=\($0[1])" }
        self.database = "postgresql:///postgres?\(pairs.joined(separator: "&"))"
        (self.bench, self.arguments) = (bench, arguments)
        self.read = { try await CollectedSamples(server) }
    }

    /// A collector whose database the test does not read.
    init(_ bench: Bench, url: String, _ arguments: [String]) {
        (self.bench, self.database, self.arguments, self.read) = (bench, url, arguments, { nil })
    }

    /// Starts the collector.
    ///
    /// - Parameter broker: another broker than that of the bench.
    func start(
        _ more: [String] = [],
        to broker: Broker? = nil,
        environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let own = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("OBD_AGENT_") }
        return try ChildProcess(
            Program(builtHere: "obd-remote"),
            [
                "collect", "--broker",
                "mqtt://127.0.0.1:\((broker ?? self.bench.broker).port)", "--database", self.database,
                "--status-file", self.statusFile,
            ] + self.arguments + more,
            environment: own.merging(environment) { $1 }
        )
    }

    /// Waits until the database has this many records of telemetry, and none is missing.
    @discardableResult
    func records(_ count: UInt64) async throws -> CollectedSamples {
        try await within("\(count) records in \(self.database)") {
            while true {
                let messages = await self.bench.observer.count
                if let found = try await self.read(), found.recordCount >= count, !found.hasHoles { return found }
                // To look again before the agent has published more would be in vain.
                _ = try await self.bench.first("telemetry", of: vin, after: messages)
            }
        }
    }
}
