// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import Glibc
import SQLite
import Store
import TestSupport
import Testing

@testable import Store

private let vin = "ZZZSMVLATR4700893"
private let other = "ZZZSMVLATR4700894"

@Suite("The erasure of a vehicle")
struct VehicleErasureTests {
    private let bench: Bench

    init() throws { self.bench = try Bench() }

    /// Fills a store with rows of vehicles, by name and VIN, connected one after the other.
    private func fill(_ vehicles: [(name: String, vin: String, before: String)]) async {
        let store = self.bench.store()
        _ = await store.open(at: .zero)
        var context = Store.FlushContext(now: .zero, start: Bench.start)
        for (vehicle, vin, before) in vehicles {
            await Self.remember(vehicle, vin, before: before, in: store)
            context.values.append(
                LastValue(
                    vehicle: vehicle,
                    series: "speed",
                    ecu: "7E8",
                    value: .integer(1),
                    label: nil,
                    unit: nil,
                    at: .zero
                )
            )
        }
        await store.remember(
            announced: vehicles.map { AnnouncedEntry(id: $0.vin, body: Array(#"{"topics":"obd/\#($0.name)"}"#.utf8)) }
        )
        await store.flush(context)
    }

    private static func remember(_ vehicle: String, _ vin: String, before: String, in store: Store) async {
        let destination = StoredRecord.Destination(vehicle: vehicle)
        await store.remember(VehicleEntry(name: vehicle, vin: vin, at: .zero))
        for stream in RecordStream.allCases {
            let body = #"{"event":"vehicle_changed","previous":"\#(before)","of":"\#(vehicle)"}"#
            await store.append(Array(body.utf8), to: stream, at: .zero, destination: destination)
        }
        await store.remember(
            CommandEntry(
                id: "c-\(vin.suffix(1))",
                at: .zero,
                state: .succeeded,
                response: Array("{\"message\":\"\(vin)\"}".utf8),
                destination: destination
            )
        )
        for kind in StoredState.Kind.allCases {
            await store.remember(StoredState(kind, Array(#"{"\#(kind)":"Make of \#(vehicle)"}"#.utf8)), of: vehicle)
        }
        await store.remember(
            FindingEntry(vehicle: vehicle, at: .zero, body: Array(#"{"text":"coil of \#(vehicle)"}"#.utf8))
        )
    }

    private func bytes() -> String {
        ["", "-wal", "-shm"].compactMap { TextFile.bytes(of: self.bench.path + $0, limit: 1 << 26) }
            .map { String(decoding: $0, as: UTF8.self) }.joined()
    }

    private func rows(of vehicle: String) throws -> [String: Int64] {
        let counts = try VehicleErasure(in: self.bench.directory.path).counts(of: [vehicle])
        return Dictionary(uniqueKeysWithValues: counts.map { ($0.table, $0.count) })
    }

    @Test("The files contain none of its names, and all rows of other vehicles")
    func everywhere() async throws {
        await self.fill([("golf", vin, "van"), ("van", other, "golf")])
        // Rows that were deleted without the erasure are still in free pages.
        let database = try Database(self.bench.path)
        try database.run(
            "INSERT INTO findings (vehicle, boot, at, body) VALUES ('x', 1, 0, ?)",
            [.blob(Array(vin.utf8))]
        )
        try database.run("DELETE FROM findings WHERE vehicle = 'x'")
        let before = try self.rows(of: "van")
        // A new table belongs here too.
        let tables = "commands events findings last_values responses telemetry vehicle_states vehicles"
        #expect(before.keys.sorted().joined(separator: " ") == tables)
        #expect(self.bytes().contains(vin) && self.bytes().contains("golf"))

        let erasure = try VehicleErasure(in: self.bench.directory.path)
        try erasure.erase(["golf", vin], announced: [vin])
        #expect(try self.rows(of: "golf").isEmpty && self.rows(of: "van") == before)
        #expect(!self.bytes().contains(vin) && !self.bytes().contains("golf"))
        #expect(self.bytes().contains(#""previous":"forgotten""#) && self.bytes().contains("coil of van"))
        #expect(try erasure.announced().map(\.id) == [other])
        #expect(try erasure.vehicles().map(\.name) == ["van"])
    }

    @Test("A command that was erased is not run a second time")
    func journal() async throws {
        await self.fill([("golf", vin, "van")])
        try VehicleErasure(in: self.bench.directory.path).erase(["golf", vin], announced: [])
        let begins = try Database(self.bench.path).integer("SELECT value FROM meta WHERE name = 'journal_begins'")
        #expect(try #require(begins) >= Bench.start.date.milliseconds + 60_000)
    }

    @Test(
        "Of other vehicles' records only what names it is replaced",
        arguments: [
            (#"{"a":"golf","golf":1,"text":"a golf"}"#, "golf", #"{"a":"forgotten","golf":1,"text":"a golf"}"#),
            ("{\"text\":\"not \(vin).\"}", vin, #"{"text":"not forgotten."}"#), ("", "golf", ""),
            ("\"golf", "golf", "\"golf"),
        ]
    )
    func bodies(body: String, name: String, rest: String) {
        #expect(VehicleErasure.body(Array(body.utf8), without: name) == Array(rest.utf8))
    }

    @Test("A named pipe in place of the database blocks nothing", .timeLimit(.minutes(1)))
    func pipe() throws {
        unsafe mkfifo(self.bench.path, 0o600)
        #expect(throws: StoreError.noDatabase(self.bench.path)) { try Recording(in: self.bench.directory.path) }
    }
}
