// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import EventLoop
import FaultVFS
import SQLite
import TestSupport
import Testing

@testable import Collect

@Suite("A database file of a fleet")
struct SQLiteDatabaseTests {
    private static let key = StreamKey(agent: "a-1", vehicle: "van", stream: .telemetry, epoch: 1)
    private static let sample = SampleRow(time: 1, value: 1, series: 1, isSynchronised: true)

    @Test("A second collector on the same file is refused at once, with the process that has it")
    func second() async throws {
        let place = try await Place(.sqlite)
        let first = try place.collector()
        try await first.perform { database in try database.open() }
        let error = await #expect(throws: CollectError.self) {
            try await place.collector().perform { database in try database.open() }
        }
        #expect(error?.kind == .refused && error?.description.contains("in use by process") == true)
        try await first.transaction { database in try database.insert([Self.sample]) }
    }

    @Test("Others read while a transaction is open, and a commit is synced")
    func reader() async throws {
        let place = try await Place(.sqlite)
        let collector = try place.collector()
        try await collector.transaction { database in try database.insert([Self.sample]) }
        try await collector.perform { database in
            try database.begin()
            try database.insert([Self.sample])
        }
        #expect(try await place.query("SELECT count(*) FROM sample_values", "PRAGMA journal_mode") == ["0", "wal"])
        #expect(try await place.query("SELECT count(*) FROM samples") == ["1"])
        try await collector.perform { database in try database.commit() }
        #expect(try await place.query("SELECT count(*) FROM samples") == ["2"])
    }

    @Test("A file in a folder that is not there, and one that is no database, are refused")
    func refused() async throws {
        let place = try await Place(.sqlite)
        try place.directory.write([UInt8](repeating: 7, count: 5000), to: "fleet.db")
        for collector in [Collector(path: "/nowhere/fleet.db"), try place.collector()] {
            let error = await #expect(throws: CollectError.self) {
                try await collector.perform { database in try database.open() }
            }
            #expect(error?.kind == .refused, "\(error?.description ?? "no error")")
        }
    }

    /// A change of the files under a collector that has them open.
    enum Change: CaseIterable, Sendable {
        case deleted, replaced, logDeleted, lockDeleted

        func happen(_ path: String) throws {
            switch self {
            case .deleted: for end in ["", "-wal", "-shm", ".lock"] { TextFile.remove(path + end) }
            case .replaced:
                // A backup of the state before.
                let database = try Database(path, .readOnly)
                try database.run("VACUUM INTO '\(path).backup'")
                TextFile.move("\(path).backup", to: path)
            case .logDeleted: TextFile.remove("\(path)-wal")
            case .lockDeleted: TextFile.remove("\(path).lock")
            }
        }
    }

    @Test(
        "A file that is deleted or replaced is told at the next transaction, and opened anew",
        arguments: Change.allCases
    )
    func moved(change: Change) async throws {
        let place = try await Place(.sqlite)
        let collector = try place.collector()
        let path = "\(place.directory.path)/fleet.db"
        try await collector.transaction { database in try database.insert([Self.sample]) }
        try change.happen(path)
        let error = await collector.error { database in try database.insert([Self.sample]) }
        #expect(error?.kind == .unreachable && error?.description.contains("while it was open") == true)
        try await collector.transaction { database in try database.insert([Self.sample]) }
        let count = change == .deleted ? "1" : "2"
        #expect(try await place.query("SELECT count(*) FROM samples", "PRAGMA integrity_check") == [count, "ok"])
        let second = await #expect(throws: CollectError.self) {
            try await place.collector().perform { database in try database.open() }
        }
        #expect(second?.kind == .refused)
    }

    @Test("A commit into a file that was deleted meanwhile fails, so that nothing of it is acknowledged")
    func movedBeforeCommit() async throws {
        let place = try await Place(.sqlite)
        let collector = try place.collector()
        try await collector.perform { database in
            try database.begin()
            try database.insert([Self.sample])
        }
        try Change.deleted.happen("\(place.directory.path)/fleet.db")
        let error = await #expect(throws: CollectError.self) {
            try await collector.perform { database in try database.commit() }
        }
        #expect(error?.kind == .unreachable)
        try await collector.transaction { database in try database.insert([Self.sample]) }
        #expect(try await place.query("SELECT count(*) FROM samples") == ["1"])
    }

    @Test("A full disk leaves nothing of the transaction, and the next one works once there is room")
    func full() async throws {
        #expect(fault_vfs_install() == 0)
        let place = try await Place(.sqlite)
        let collector = try place.collector()
        try await collector.transaction { database in try database.insert([Self.sample]) }
        for (mode, kind) in [
            (fault_vfs_full, CollectError.Kind.full), (fault_vfs_broken, .unreachable),
        ] {
            unsafe fault_vfs_set(place.directory.path, mode)
            let error = await collector.error { database in
                _ = try database.received([Self.key])
                try database.insert(Array(repeating: Self.sample, count: 100_000))
            }
            #expect(error?.kind == kind, "\(error?.description ?? "no error")")
            unsafe fault_vfs_set(place.directory.path, fault_vfs_works)
            try await collector.transaction { database in try database.insert([Self.sample]) }
        }
        #expect(try await place.query("SELECT count(*) FROM samples", "SELECT count(*) FROM received") == ["3", "0"])
        #expect(try await place.query("PRAGMA integrity_check") == ["ok"])
    }
}
