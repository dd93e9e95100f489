// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Store
import Testing

@testable import Uplink

@Suite("The queue of records that were asked for again")
struct ResendQueueTests {
    private static let room = 1 << 20

    private static func time(_ milliseconds: Int) -> MonotonicTime { .zero + .milliseconds(milliseconds) }

    private static func id(_ number: UInt64) -> RecordID { RecordID(epoch: 7, seq: number) }

    /// Returns what a store has: these numbers of 100 bytes each, those of `waiting` without an acknowledgement.
    private static func kept(
        _ numbers: [UInt64],
        waiting: Set<UInt64> = [],
        last: UInt64? = nil,
        isOpen: Bool = true,
        stream: RecordStream = .telemetry
    ) -> KeptRecords {
        let records = numbers.map {
            KeptRecords.Record(Self.id($0), size: 100, isAcknowledged: !waiting.contains($0))
        }
        return KeptRecords(stream, records, last: last ?? numbers.max() ?? 0, isOpen: isOpen)
    }

    private static func request(_ from: UInt64, _ to: UInt64? = nil, of stream: RecordStream = .telemetry) throws
        -> ResendArguments
    {
        try #require(ResendArguments(stream, epoch: 7, from: from, to: to))
    }

    /// Takes all records, each acknowledged before the next one, and a second for four.
    private static func drain(_ queue: inout ResendQueue, from start: Int = 0) -> [UInt64] {
        var numbers: [UInt64] = []
        for tick in 0..<10_000 {
            guard let entry = queue.next(at: Self.time(start + tick * 250), level: .normal) else { continue }
            numbers.append(entry.id.seq)
            queue.remove(entry.stream, entry.id)
            if queue.count == 0 { break }
        }
        return numbers
    }

    @Test("Records come in the order of their requests and numbers, and what lacks is told")
    func order() throws {
        var queue = ResendQueue(at: .zero)
        let second = queue.add(try Self.request(10, 15), Self.kept([11, 12, 14], last: 20), room: Self.room)
        #expect(second.records == 3 && second.missing == [10...10, 13...13, 15...15])
        #expect(second.from == 10 && second.to == 15 && second.last == 20 && second.epoch == 7)
        let first = queue.add(try Self.request(1, 2), Self.kept([1, 2], last: 20), room: Self.room)
        #expect(first.records == 2 && first.missing == [])
        #expect(queue.count == 5 && queue.bytes == 500)
        #expect(Self.drain(&queue) == [11, 12, 14, 1, 2])
        #expect(queue.count == 0 && queue.bytes == 0)
    }

    @Test("Waiting and queued records count, but are not queued twice")
    func twice() throws {
        var queue = ResendQueue(at: .zero)
        _ = queue.add(try Self.request(1, 4), Self.kept([1, 2, 3, 4], waiting: [4]), room: Self.room)
        #expect(queue.count == 3)
        #expect(queue.next(at: .zero, level: .normal)?.id.seq == 1)
        let again = queue.add(try Self.request(1, 6), Self.kept([1, 2, 3, 4, 5, 6]), room: Self.room)
        #expect(again.records == 6 && queue.count == 6)
        let events = queue.add(try Self.request(1, 1, of: .events), Self.kept([1], stream: .events), room: Self.room)
        #expect(events.stream == .events && events.records == 1 && queue.count == 7)
        queue.remove(.telemetry, Self.id(1))
        #expect(Self.drain(&queue) == [2, 3, 4, 5, 6, 1])
    }

    @Test("Numbers that are still to come are not missing, and those of an earlier epoch are")
    func ends() throws {
        var queue = ResendQueue(at: .zero)
        let open = queue.add(try Self.request(5, 9), Self.kept([5, 6]), room: Self.room)
        #expect(open.to == 6 && open.missing == [])
        let ahead = queue.add(try Self.request(8), Self.kept([], last: 6), room: Self.room)
        #expect(ahead.to == 7 && ahead.records == 0 && ahead.missing == [] && ahead.last == 6)
        let closed = queue.add(try Self.request(5, 9), Self.kept([5, 6], isOpen: false), room: Self.room)
        #expect(closed.to == 9 && closed.missing == [7...9])
        let rest = queue.add(try Self.request(5), Self.kept([6], isOpen: false), room: Self.room)
        #expect(rest.to == 6 && rest.missing == [5...5])
        let gone = queue.add(try Self.request(5), Self.kept([], isOpen: false), room: Self.room)
        #expect(gone.to == 4 && gone.missing == [] && gone.last == 0)
        let unknown = queue.add(try Self.request(5, 9), Self.kept([], isOpen: false), room: Self.room)
        #expect(unknown.to == 9 && unknown.missing == [5...9])
    }

    @Test("A request beyond the room for bytes or records is cut at the number that still counts")
    func bounds() throws {
        var queue = ResendQueue(at: .zero)
        let few = queue.add(try Self.request(1, 10), Self.kept(Array(1...9)), room: 250)
        #expect(few.to == 3 && few.records == 3 && few.missing == [] && queue.bytes == 300)
        let none = queue.add(try Self.request(4, 10), Self.kept(Array(4...9)), room: 250)
        #expect(none.to == 3 && none.records == 0 && none.missing == [])
        for start in stride(from: UInt64(1), through: 5001, by: 1000) {
            let numbers = Array(start..<start + 1000)
            let report = queue.add(try Self.request(start, start + 999), Self.kept(numbers), room: .max)
            #expect(report.to == (start < 4000 ? start + 999 : start - 1))
        }
        #expect(queue.count == ResendQueue.limit)
    }

    @Test("One record is in flight, and at most four go in a second")
    func pace() throws {
        var queue = ResendQueue(at: .zero)
        _ = queue.add(try Self.request(1, 20), Self.kept(Array(1...20)), room: Self.room)
        let taken = queue.next(at: .zero, level: .normal)
        let first = try #require(taken)
        #expect(queue.next(at: Self.time(5000), level: .normal) == nil)
        queue.remove(first.stream, first.id)
        var count = 1
        for tick in 0..<1000 {
            guard let entry = queue.next(at: Self.time(tick), level: .normal) else { continue }
            queue.remove(entry.stream, entry.id)
            count += 1
        }
        // A burst of four, and then one for each 250 ms.
        #expect(7...8 ~= count)
    }

    @Test(
        "Above the normal level of the budget nothing comes again",
        arguments: [.slowed, .thinned, .exhausted] as [BudgetLevel]
    )
    func budget(level: BudgetLevel) throws {
        var queue = ResendQueue(at: .zero)
        _ = queue.add(try Self.request(1, 2), Self.kept([1, 2]), room: Self.room)
        #expect(queue.next(at: .zero, level: level) == nil)
        #expect(queue.next(at: .zero, level: .normal)?.id.seq == 1)
    }

    @Test("A lost connection returns the record to the front")
    func lostConnection() throws {
        var queue = ResendQueue(at: .zero)
        _ = queue.add(try Self.request(1, 3), Self.kept([1, 2, 3]), room: Self.room)
        #expect(queue.next(at: .zero, level: .normal)?.id.seq == 1)
        queue.returnInFlight()
        queue.returnInFlight()
        #expect(queue.count == 3 && queue.bytes == 300)
        // An acknowledgement that was under way removes the record all the same.
        queue.remove(.telemetry, Self.id(1))
        queue.remove(.telemetry, Self.id(1))
        #expect(queue.bytes == 200)
        #expect(Self.drain(&queue) == [2, 3])
    }
}
