// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Store
import Testing

@Suite("The store")
struct StoreTests {
    @Test("Each stream has its own numbers, from one, without a gap")
    func numbers() async throws {
        let store = Store(.init(agent: "a1b2", boot: "b", firstEpoch: 17))
        let streams: [RecordStream] = [.events, .telemetry, .events, .responses, .events]
        for (index, stream) in streams.enumerated() { await store.append(index, to: stream) }
        #expect(await store.status.records == 5)
        let record = try #require(await store.next())
        #expect(store.number(of: record) == RecordNumber(agent: "a1b2", epoch: 17, seq: 1))
        #expect(await store.drain() == ["e17:1=0", "e17:2=2", "e17:3=4", "t17:1=1"])
    }

    @Test("In memory a number is never used again, whatever was acknowledged, returned or dropped")
    func neverAgain() async throws {
        let store = Store(.init(agent: "a", boot: "b", firstEpoch: 1))
        var gone: [UInt64] = []
        for round in 0..<60 {
            await store.append(round, to: .telemetry, bytes: (1 << 20) - 300)
            gone += await store.takeGaps().flatMap { Array($0.range) }
            if round % 3 == 0, let record = await store.next() {
                await store.acknowledge(record.stream, record.id)
                gone.append(record.id.seq)
            }
            if round % 7 == 0 { await store.returnInFlight() }
        }
        let status = await store.status
        #expect(status.records == 16 && status.dropped == 60 - 16 - 20)
        while let record = await store.next() { gone.append(record.id.seq) }
        #expect(gone.sorted() == Array(1...60))
    }

    @Test("A record keeps its destination and its birth, on the disk too")
    func destination() async throws {
        let bench = try Bench()
        let destination = StoredRecord.Destination(vehicle: "van", responseTopic: "obd/x", correlationData: [9])
        var store = bench.store()
        _ = await store.open(at: .zero)
        let at = MonotonicTime(sinceBoot: .milliseconds(1234))
        await store.append([1, 2], to: .responses, at: at, destination: destination, isCritical: true)
        await store.save()
        for boot in ["boot", "other"] {
            store = bench.store(boot: boot)
            _ = await store.open(at: .zero)
            let record = try #require(await store.next())
            #expect(record.destination == destination && record.isCritical && record.body == [1, 2])
            #expect(record.birth.at == at && record.birth.boot == "boot")
            #expect(record.birth.start == (boot == "boot" ? nil : Bench.start))
        }
    }

    @Test("After a restart, written records come in order, before new ones; epochs grow by one")
    func restarts() async throws {
        let bench = try Bench()
        var expected: [String] = []
        for round in 0..<5 {
            let store = bench.store(firstEpoch: UInt64(100 - round))
            _ = await store.open(at: .zero)
            for number in 0..<40 { await store.append(number, to: .telemetry, bytes: 100) }
            await store.save()
            await store.append(99, to: .telemetry)
            expected += (0..<40).map { "t\(100 + round):\($0 + 1)=\($0)" }
            let lost = "t\(100 + round):41=99"
            #expect(await store.drain(acknowledging: false) == expected + [lost])
            #expect(await store.status.records == expected.count + 1)
            #expect(await store.status.oldest?.at == .zero)
        }
    }

    @Test("Acknowledged records are not sent again; they are deleted with the next write")
    func acknowledged() async throws {
        let bench = try Bench()
        var store = bench.store()
        _ = await store.open(at: .zero)
        for number in 1...6 { await store.append(number, to: .events) }
        await store.save()
        for _ in 0..<3 {
            if let record = await store.next() { await store.acknowledge(record.stream, record.id) }
        }
        // The acknowledgements are not worth a commit of their own.
        await store.save()
        let copy = try bench.copy()
        store = copy.store()
        _ = await store.open(at: .zero)
        #expect(await store.drain().count == 6)
        store = bench.store()
        _ = await store.open(at: .zero)
        for _ in 0..<3 {
            if let record = await store.next() { await store.acknowledge(record.stream, record.id) }
        }
        await store.append(7, to: .events)
        await store.save()
        store = bench.store()
        _ = await store.open(at: .zero)
        #expect(await store.drain() == ["e100:4=4", "e100:5=5", "e100:6=6", "e101:1=7"])
        await store.saveLast()
        store = bench.store()
        _ = await store.open(at: .zero)
        #expect(await store.drain().isEmpty)
        #expect(await store.status.oldest == nil)
    }

    @Test("A held stream waits, and the others go on")
    func held() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        for stream in [RecordStream.telemetry, .events, .telemetry] { await store.append(1, to: stream) }
        await store.save()
        #expect(await store.next(except: [.telemetry])?.stream == .events)
        #expect(await store.next(except: [.telemetry]) == nil)
        #expect(await store.next()?.id.seq == 1)
        #expect(await store.next()?.id.seq == 2)
    }

    @Test("The bytes of the day are written with other data, and cause no write")
    func traffic() async throws {
        let bench = try Bench()
        var store = bench.store()
        #expect(await store.open(at: .zero).traffic == nil)
        await store.append(1, to: .events)
        await store.save()
        await store.remember(.init(date: 20_000, bytes: 700))
        await store.save()
        #expect(try await bench.copy().store().open(at: .zero).traffic == nil)
        await store.append(2, to: .events)
        await store.save()
        store = bench.store()
        #expect(await store.open(at: .zero).traffic == DayTraffic(date: 20_000, bytes: 700))
    }

    @Test("After a power cut the incomplete batch is a record, with the number that it would have had")
    func draft() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        await store.append(1, to: .telemetry)
        await store.save(draft: 2)
        await store.save(draft: 3)
        var copy = try bench.copy()
        var after = copy.store()
        _ = await after.open(at: .zero)
        #expect(await after.drain() == ["t100:1=1", "t100:2=3"])
        // Until then it is no record.
        #expect(await store.drain() == ["t100:1=1"])
        #expect(await store.status.oldest == nil)
        await store.append(4, to: .telemetry)
        await store.append(5, to: .events)
        // After a crash, the next process would send the incomplete batch on the disk under the same number.
        #expect(await store.drain() == ["e100:1=5"])
        await store.save(draft: 5)
        copy = try bench.copy()
        after = copy.store()
        _ = await after.open(at: .zero)
        #expect(await after.drain() == ["t100:2=4", "t100:3=5"])
        #expect(await store.drain() == ["t100:2=4"])
    }

    @Test("A batch with a snapshot on the disk is sent when the disk is not writable")
    func draftOnFullDisk() async throws {
        let bench = try Bench()
        let store = bench.store(limit: 1 << 20)
        _ = await store.open(at: .zero)
        for number in 1...20 { await store.append(number, to: .events, bytes: 30_000, isCritical: true) }
        await store.save(draft: 2)
        #expect(await store.problem == nil)
        _ = await store.drain()
        await store.append(2, to: .telemetry)
        for number in 21...25 { await store.append(number, to: .events, bytes: 100_000, isCritical: true) }
        #expect(await store.drain() == (21...25).map { "e100:\($0)=\($0)" })
        await store.save()
        #expect(await store.problem != nil)
        #expect(await store.drain() == ["t100:1=2"])
    }

    @Test("The response to a command, the last vehicle, its selection, its detected model and the date are persisted")
    func memory() async throws {
        let bench = try Bench()
        var store = bench.store()
        let first = await store.open(at: .zero)
        #expect(first.vehicle == nil && first.start == nil && first.problem == nil && first.setAside == nil)
        for (name, vin) in [("one", "VIN1"), ("two", nil), ("one", "VIN1")] as [(String, String?)] {
            await store.remember(VehicleEntry(name: name, vin: vin, at: .zero))
        }
        await store.remember(
            CommandEntry(id: "a", at: .zero, state: .succeeded, response: [1], destination: .init(vehicle: "van"))
        )
        await store.remember(
            CommandEntry(id: "a", at: .zero, state: .succeeded, response: [2], destination: .init(vehicle: "van"))
        )
        await store.remember(StoredState(.selection, [7]), of: "one")
        await store.remember(StoredState(.detection, [8]), of: "one")
        await store.remember(StoredState(.detection, [9]), of: "one")
        #expect(await store.state(.detection, of: "one") == [9])
        #expect(try await store.response(to: "a") == [2])
        #expect(await store.state(.selection, of: "one") == [7])
        await store.save()
        store = bench.store()
        let second = await store.open(at: .zero)
        #expect(second.vehicle == "one" && second.start == Bench.start)
        #expect(try await store.response(to: "a") == [2])
        #expect(try await store.response(to: "b") == nil)
        #expect(await store.state(.selection, of: "one") == [7])
        #expect(await store.state(.selection, of: "two") == nil)
        #expect(await store.state(.detection, of: "one") == [9])
        #expect(await store.state(.detection, of: "two") == nil)
        #expect(second.mark == "VIN1")
        for (name, mark) in [("one", "VIN1"), ("two", nil), ("three", nil)] {
            #expect(await store.mark(of: name) == mark)
        }
    }

    @Test("The marks with a beginning come with a state of their vehicles, the last connected one first")
    func marks() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        for (name, vin, mark) in [
            ("ecu-1", nil, "ecu-1"), ("WVWZZZ1JZ3W386752", "WVWZZZ1JZ3W386752", nil), ("van", nil, "ecu-2"),
            ("ecu-3", nil, nil),
        ] as [(String, String?, String?)] {
            await store.remember(VehicleEntry(name: name, vin: vin, mark: mark, at: .zero))
        }
        await store.remember(StoredState(.calibrations, [7]), of: "van")
        await store.remember(StoredState(.trips, [8]), of: "ecu-1")
        await store.save()
        let reopened = bench.store()
        _ = await reopened.open(at: .zero)
        func marks(_ limit: Int) async -> [(mark: String, state: [UInt8]?)] {
            await reopened.marks(startingWith: "ecu-", with: .calibrations, limit: limit)
        }
        #expect(await marks(9).map(\.mark) == ["ecu-3", "ecu-2", "ecu-1"])
        #expect(await marks(9).map(\.state) == [nil, [7], nil])
        #expect(await marks(1).map(\.mark) == ["ecu-3"])
    }

    @Test("A trusted date of a boot is not replaced by one that is not")
    func dates() async throws {
        let bench = try Bench()
        let store = bench.store()
        _ = await store.open(at: .zero)
        func start(_ milliseconds: Int64, _ quality: ClockQuality) async throws -> BootStart? {
            await store.append(1, to: .events)
            let date = Timestamp(milliseconds: milliseconds)
            await store.flush(.init(now: .zero, start: BootStart(date: date, quality: quality)))
            return await bench.store(firstEpoch: 1).open(at: .zero).start
        }
        #expect(try await start(1000, .unsynchronised)?.date.milliseconds == 1000)
        #expect(try await start(2000, .unsynchronised)?.date.milliseconds == 2000)
        #expect(try await start(2003, .unsynchronised)?.date.milliseconds == 2000)
        #expect(try await start(50 * 31_536_000_000, .synchronised)?.quality == .synchronised)
        #expect(try await start(3, .unsynchronised)?.date.milliseconds == 50 * 31_536_000_000)
        #expect(try await start(4, .synchronised)?.date.milliseconds == 4)
    }
}
