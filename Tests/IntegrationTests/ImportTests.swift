// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Store
import TestSupport
import Testing

/// Tests that import an export into the databases for which it is made.
@Suite("An exported file goes into a database", .timeLimit(.minutes(10)))
struct ImportTests {
    private static let rows = 5000
    private static let table = """
        CREATE TABLE samples (vehicle text, time timestamptz, clock text, parameter text, ecu text, value float, \
        unit text, epoch bigint, seq bigint)
        """
    private static let query = """
        SELECT count(*), count(unit), sum(CAST(round(value * 4) AS bigint)), min(seq), max(seq), \
        count(DISTINCT parameter) FROM samples
        """

    /// Returns a directory with an exported file of ``rows`` samples, and the expected result of ``query``.
    private static func export(_ arguments: [String] = []) async throws -> (TemporaryDirectory, answer: String) {
        let directory = try TemporaryDirectory()
        let store = Store(.init(agent: "a1", boot: "b1", directory: directory.path, firstEpoch: 7))
        _ = await store.open(at: .zero)
        await store.remember(VehicleEntry(name: "van", vin: nil, at: .zero))
        var sum: Int64 = 0
        for batch in 0..<Int64(Self.rows / 100) {
            let steps = (0..<50).map { ($0 * batch) % 1000 }
            sum += 2 * steps.reduce(0, +)
            let differences = zip(steps, [0] + steps).map { $0 - $1 }
            let parts = ["engine_speed", "my_own"].map { name in
                """
                "\(name)":{"ecu":"7E8","scale":0.25,"dt":\(Array(repeating: 100, count: 50)),"dv":\(differences)}
                """
            }
            await store.append(
                Array("{\"series\":{\(parts.joined(separator: ","))}}".utf8),
                to: .telemetry,
                at: MonotonicTime(sinceBoot: .seconds(10 * batch)),
                destination: .init(vehicle: "van")
            )
        }
        let start = BootStart(date: Timestamp(milliseconds: 1_795_255_200_000), quality: .synchronised)
        await store.flush(.init(now: .zero, start: start))
        try await Program(builtHere: "obd-agent")
            .run(["export", "--directory", directory.path, "--output", "\(directory.path)/samples.csv"] + arguments)
        return (directory, "\(Self.rows)|\(Self.rows / 2)|\(sum)|1|\(Self.rows / 100)|2")
    }

    @Test("SQLite imports it with its own tool, every value as it was")
    func sqlite() async throws {
        let (directory, answer) = try await Self.export()
        let sqlite = try Program("sqlite3", debianPackage: "sqlite3")
        let output = try await sqlite.run([
            "\(directory.path)/mine.db", ".import --csv \(directory.path)/samples.csv samples",
            // SQLite imports an empty field as an empty text.
            "UPDATE samples SET unit = NULL WHERE unit = ''",
            Self.query.replacing("min(seq)", with: "min(seq + 0)")
                .replacing("max(seq)", with: "max(seq + 0)"),
        ])
        #expect(output == [answer])
    }

    @Test("PostgreSQL copies it with its own tool, every value as it was")
    func postgres() async throws {
        let (directory, answer) = try await Self.export()
        let server = try await PostgresServer()
        let output = try await server.run([
            Self.table, "\\copy samples FROM '\(directory.path)/samples.csv' CSV HEADER", Self.query,
            "SELECT min(time) = '2026-11-21T10:00:00.1Z' FROM samples",
        ])
        #expect(output == ["CREATE TABLE", "COPY \(Self.rows)", answer, "t"])
        try await server.stop()
    }

    @Test("The wide layout is imported too")
    func wide() async throws {
        let (directory, _) = try await Self.export(["--layout", "wide"])
        let sqlite = try Program("sqlite3", debianPackage: "sqlite3")
        let output = try await sqlite.run([
            "\(directory.path)/mine.db", ".import --csv \(directory.path)/samples.csv samples",
            "SELECT count(*), count(DISTINCT time), sum(engine_speed = my_own) FROM samples",
        ])
        #expect(output == ["2500|2500|2500"])
    }

    @Test("What went wrong is said, and what to do about it")
    func complaints() async throws {
        let (directory, _) = try await Self.export()
        func complaint(_ arguments: [String]) async throws -> String {
            let program = try Program(builtHere: "obd-agent")
            let error = await #expect(throws: ProgramFailed.self) { try await program.run(["export"] + arguments) }
            return error.map { "\($0)" } ?? ""
        }
        let here = ["--directory", directory.path]
        #expect(try await complaint(["--directory", "/nowhere"]).contains("/nowhere/obd-agent.db"))
        #expect(try await complaint(here + ["--vehicle", "bus"]).contains("\"bus\" is unknown. Known vehicles: van"))
        #expect(try await complaint(here + ["--from", "yesterday"]).contains("Try: 2026-11-21"))
        #expect(try await complaint(here + ["--from", "2026-11-21", "--to", "2026-11-20"]).contains("not before"))
        #expect(try await complaint(here + ["--delete-after"]).contains("needs --output"))
        let file = "\(directory.path)/samples.csv"
        #expect(try await complaint(here + ["--delete-after", "--output", file]).contains("exists already"))
        #expect(try await complaint(here + ["--output", "/nowhere/x.csv"]).contains("can't be written"))
    }
}
