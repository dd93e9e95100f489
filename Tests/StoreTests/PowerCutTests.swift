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

@Suite("Power cuts and damaged files", .timeLimit(.minutes(10)))
struct PowerCutTests {
    @Test("A log that is cut or damaged anywhere yields the commits before the damage, in order, and nothing else")
    func tornLog() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        // The records after each commit, and the length of the log.
        var commits: [(bytes: Int, records: Int)] = []
        func log() -> [UInt8] { TextFile.bytes(of: bench.path + "-wal", limit: 1 << 24) ?? [] }
        commits.append((log().count, 0))
        for number in 0..<6 {
            await store.append(number, to: .telemetry, bytes: 700)
            await store.append(number, to: .events)
            await store.save()
            commits.append((log().count, (number + 1) * 2))
        }
        let main = TextFile.bytes(of: bench.path, limit: 1 << 24) ?? []
        let whole = log()
        #expect(whole.count > 20_000)
        var damaged = 0
        for cut in stride(from: 0, through: whole.count, by: 512) {
            var garbled = whole
            for index in garbled.indices[cut..<min(cut + 512, whole.count)] { garbled[index] ^= 0x5A }
            for torn in [Array(whole[..<cut]), garbled] {
                let copy = try Bench()
                try copy.directory.write(main, to: "obd-agent.db")
                try copy.directory.write(torn, to: "obd-agent.db-wal")
                let after = copy.store()
                let opening = await after.open(at: .zero)
                #expect(opening.problem == nil && opening.setAside == nil)
                let found = await after.drain()
                // All commits before the damage are complete. None after it is there in part.
                let expected = commits.last { $0.bytes <= cut }?.records ?? 0
                #expect(found.count == expected || torn == whole, "cut at \(cut)")
                #expect(
                    found == (0..<found.count / 2).map { "e100:\($0 + 1)=\($0)" }
                        + (0..<found.count / 2).map { "t100:\($0 + 1)=\($0)" }
                )
                damaged += 1
            }
        }
        #expect(damaged > 80)
    }

    @Test("After every step the files on the disk contain a record, until the broker has acknowledged it")
    func everyStep() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        var numbers = SeededNumbers(7)
        var written: Set<Int> = []
        var acknowledged: Set<Int> = []
        var flying: [(stream: RecordStream, id: RecordID, number: Int)] = []
        var fresh: Set<Int> = []
        for step in 0..<150 {
            switch Int.random(in: 0..<5, using: &numbers) {
            case 0, 1:
                await store.append(step, to: [.telemetry, .events].randomElement(using: &numbers) ?? .events)
                fresh.insert(step)
            case 2:
                await store.save()
                written.formUnion(fresh)
                fresh = []
            case 3:
                guard let record = await store.next() else { continue }
                flying.append((record.stream, record.id, Int(record.birth.at.sinceBoot.milliseconds)))
            default:
                guard let index = flying.indices.randomElement(using: &numbers) else { continue }
                let record = flying.remove(at: index)
                await store.acknowledge(record.stream, record.id)
                acknowledged.insert(record.number)
            }
            let copy = try bench.copy()
            let after = copy.store()
            _ = await after.open(at: .zero)
            let found = await after.drain().compactMap { $0.split(separator: "=").last.flatMap { Int($0) } }
            #expect(Set(found).count == found.count)
            #expect(Set(found).isSuperset(of: written.subtracting(acknowledged)), "step \(step)")
            #expect(Set(found).isSubset(of: written))
        }
    }

    @Test("A damaged file is renamed with its log, reported and replaced by a new one; two of them are kept")
    func corruption() async throws {
        let bench = try Bench()
        for (round, noise) in [
            [UInt8](repeating: 7, count: 9000),
            Array("SQLite format 3\u{0}".utf8) + [UInt8](repeating: 0xFF, count: 9000),
            [1, 2, 3] + [UInt8](repeating: 0, count: 600),
        ].enumerated() {
            try bench.directory.write(noise, to: "obd-agent.db")
            try bench.directory.write([UInt8(round)], to: "obd-agent.db-wal")
            let store = bench.store(firstEpoch: UInt64(500 + round))
            let opening = await store.open(at: .zero)
            #expect(opening.setAside == bench.path + ".corrupt-1" && opening.problem == nil)
            #expect(TextFile.bytes(of: bench.path + ".corrupt-1", limit: 1 << 20) == noise)
            await store.append(1, to: .events)
            #expect(await store.drain() == ["e\(500 + round):1=1"])
        }
        #expect(TextFile.bytes(of: bench.path + ".corrupt-2", limit: 9)?.first == UInt8(ascii: "S"))
        #expect(TextFile.bytes(of: bench.path + ".corrupt-3", limit: 9) == nil)
    }

    @Test("A file that is found damaged later is renamed, and the data in memory goes into a new one")
    func lateCorruption() async throws {
        let bench = try Bench()
        var store = bench.store()
        _ = await store.open(at: .zero)
        for number in 1...200 { await store.append(number, to: .telemetry, bytes: 3000) }
        await store.saveLast()
        store = Store(.init(agent: "x", boot: "b", directory: nil, firstEpoch: 1))
        // The last connection is closed, so that all data is in the file itself.
        var file = try #require(TextFile.bytes(of: bench.path, limit: 1 << 24))
        for index in file.indices[16_384...] { file[index] = 0xA5 }
        try bench.directory.write(file, to: "obd-agent.db")
        store = bench.store()
        let opening = await store.open(at: .zero)
        await store.append(1, to: .events)
        _ = await store.drain(acknowledging: false)
        await store.save()
        #expect(await store.problem == nil)
        #expect(opening.setAside != nil || TextFile.bytes(of: bench.path + ".corrupt-1", limit: 1) != nil)
        await store.append(2, to: .events)
        await store.save()
        let after = bench.store()
        _ = await after.open(at: .zero)
        #expect(await after.drain().map { $0.split(separator: "=").last } == ["1", "2"])
    }

    @Test("A file that only newer versions can use is refused, and not one byte of it is changed")
    func newer() async throws {
        let bench = try Bench()
        do {
            let store = bench.store()
            _ = await store.open(at: .zero)
            await store.append(1, to: .events)
            await store.saveLast()
        }
        do {
            let database = try Database(bench.path)
            try database.run("UPDATE meta SET value = 99 WHERE name = 'readable_by'")
            try database.run("PRAGMA user_version = 99")
        }
        let before = TextFile.bytes(of: bench.path, limit: 1 << 24)
        let store = bench.store()
        let problem = await store.open(at: .zero).problem
        #expect(problem?.contains("newer") == true)
        await store.append(2, to: .events)
        await store.save()
        // The epoch is later than the previous one, which is in the epoch file.
        #expect(await store.drain() == ["e101:1=2"])
        #expect(TextFile.bytes(of: bench.path, limit: 1 << 24) == before)
        #expect(TextFile.bytes(of: bench.path + ".corrupt-1", limit: 1) == nil)
    }

    @Test("Without a directory everything stays in memory, and is written when there is one")
    func laterDirectory() async throws {
        let bench = try Bench()
        let path = "\(bench.directory.path)/later"
        let store = Store(.init(agent: "a1b2", boot: "b", directory: path, firstEpoch: 300))
        let problem = await store.open(at: .zero).problem
        #expect(problem?.hasPrefix("there is no directory \(path). Try: create it") == true)
        await store.append(1, to: .events)
        await store.append(2, to: .events)
        await store.save()
        #expect(await store.status.problem != nil)
        if let record = await store.next() { await store.acknowledge(record.stream, record.id) }
        #expect(unsafe mkdir(path, 0o700) == 0)
        await store.append(3, to: .events)
        await store.save()
        #expect(await store.status.problem == nil)
        #expect(await store.drain(acknowledging: false) == ["e300:2=2", "e300:3=3"])
        let after = Store(.init(agent: "a1b2", boot: "b", directory: path, firstEpoch: 1))
        _ = await after.open(at: .zero)
        #expect(await after.drain() == ["e300:2=2", "e300:3=3"])
    }
}
