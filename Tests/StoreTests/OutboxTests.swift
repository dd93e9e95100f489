// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

@testable import Store

@Suite("The records without an acknowledgement")
struct OutboxTests {
    private static func record(
        _ stream: RecordStream,
        _ seq: UInt64,
        epoch: UInt64 = 1,
        bytes: Int = 1,
        isCritical: Bool = false
    ) -> StoredRecord {
        StoredRecord(
            stream: stream,
            id: RecordID(epoch: epoch, seq: seq),
            birth: .init(boot: "b", at: .zero),
            // The body fills the record up to this size.
            body: [UInt8](repeating: 0, count: bytes * 1000 - 200),
            isCritical: isCritical
        )
    }

    /// The records on a simulated disk.
    private struct Disk {
        var records: [StoredRecord] = []

        func page(_ stream: RecordStream, after: RecordID, through: RecordID) -> [StoredRecord] {
            Array(self.records.filter { $0.stream == stream && $0.id > after && $0.id <= through }.prefix(3))
        }
    }

    private static func next(_ outbox: inout Outbox, _ disk: Disk = Disk()) -> StoredRecord? {
        while true {
            switch outbox.next() {
            case .none: return nil
            case .publish(let record): return record
            case .read(let stream, let after, let through):
                outbox.read(stream, disk.page(stream, after: after, through: through))
            }
        }
    }

    private static func drain(_ outbox: inout Outbox, _ disk: Disk = Disk()) -> [String] {
        var names: [String] = []
        while let record = Self.next(&outbox, disk) { names.append("\(record.stream) \(record.id.seq)") }
        return names
    }

    private static func gap(_ stream: RecordStream, _ seq: UInt64) -> [RecordGap] {
        RecordGap.gaps(stream, [RecordID(epoch: 1, seq: seq)])
    }

    @Test("An id is ordered by epoch and number, and contains both")
    func ids() {
        let pairs: [(UInt64, UInt64)] = [
            (0, 1), (1, 0), (1, 1), (1, 1 << 29), (2, 1), (1_795_255_200, 7), (1 << 33, 5),
        ]
        let ids = pairs.map { RecordID(epoch: $0.0, seq: $0.1) }
        #expect(ids == ids.sorted() && Set(ids).count == ids.count)
        for ((epoch, seq), id) in zip(pairs.dropLast(), ids) { #expect(id.epoch == epoch && id.seq == seq) }
        #expect(ids.last?.epoch == RecordID.epochLimit)
        #expect(RecordID(epoch: .max, seq: .max).rawValue == .max)
        #expect(RecordID(rawValue: .min).epoch == 0)
    }

    @Test("Responses go before events, events before telemetry, each stream by number")
    func order() {
        var outbox = Outbox(limit: 100_000)
        for (stream, seq) in [(.telemetry, 1), (.events, 1), (.telemetry, 2), (.responses, 1), (.events, 2)]
            as [(RecordStream, UInt64)]
        { #expect(outbox.append(Self.record(stream, seq)).isEmpty) }
        #expect(Self.drain(&outbox) == ["responses 1", "events 1", "events 2", "telemetry 1", "telemetry 2"])
        #expect(outbox.count == 5)
    }

    @Test("Records in flight are sent again before newer ones, unless they were acknowledged")
    func returning() throws {
        var outbox = Outbox(limit: 100_000)
        for seq in 1...4 { _ = outbox.append(Self.record(.events, UInt64(seq))) }
        let inFlight = [outbox.next(), outbox.next(), outbox.next()].compactMap { action -> RecordID? in
            if case .publish(let record) = action { record.id } else { nil }
        }
        outbox.acknowledge(.events, inFlight[1])
        outbox.acknowledge(.events, inFlight[1])
        #expect(outbox.count == 3)
        outbox.returnInFlight()
        _ = outbox.append(Self.record(.events, 5))
        // A late acknowledgement from a lost connection is ignored.
        outbox.acknowledge(.events, inFlight[0])
        #expect(Self.drain(&outbox) == ["events 1", "events 3", "events 4", "events 5"])
    }

    @Test("The oldest telemetry is dropped first, then the oldest event, then critical events, then responses")
    func eviction() {
        var outbox = Outbox(limit: 8000)
        for record in [
            Self.record(.responses, 1, bytes: 2), Self.record(.events, 1, bytes: 2, isCritical: true),
            Self.record(.events, 2, bytes: 2), Self.record(.telemetry, 1, bytes: 2),
        ] { #expect(outbox.append(record).isEmpty) }
        let more = (2...5).map { Self.record(.responses, UInt64($0), bytes: 2) }
        #expect(outbox.append(more[0]) == Self.gap(.telemetry, 1))
        #expect(outbox.append(more[1]) == Self.gap(.events, 2))
        #expect(outbox.append(more[2]) == Self.gap(.events, 1))
        #expect(outbox.append(more[3]) == Self.gap(.responses, 1))
        #expect(outbox.dropped == 4)
        #expect(Self.drain(&outbox) == (2...5).map { "responses \($0)" })
    }

    @Test("Adjoining gaps merge, others stay separate, and their number is limited")
    func gaps() {
        let ids = [3, 4, 9, 5, 20].map { RecordID(epoch: 2, seq: $0) } + [RecordID(epoch: 3, seq: 6)]
        var gaps = RecordGap.gaps(.events, ids)
        #expect(gaps.map(\.range) == [3...5, 9...9, 20...20, 6...6] && gaps.map(\.epoch) == [2, 2, 2, 3])
        for seq in 0..<5000 { gaps.add(RecordGap(.telemetry, epoch: 2, UInt64(seq * 2)...UInt64(seq * 2))) }
        #expect(gaps.count == RecordGap.limit && gaps.last?.range.upperBound == 9998)
    }

    @Test("Records in flight are not dropped")
    func inFlightStays() {
        var outbox = Outbox(limit: 4000)
        _ = outbox.append(Self.record(.telemetry, 1, bytes: 3))
        #expect(Self.next(&outbox)?.id.seq == 1)
        #expect(outbox.append(Self.record(.telemetry, 2, bytes: 3)) == Self.gap(.telemetry, 2))
        outbox.returnInFlight()
        #expect(Self.drain(&outbox) == ["telemetry 1"])
    }

    @Test("Acknowledged records stay in memory until they are written, and are dropped without a gap")
    func recorded() {
        var outbox = Outbox(limit: 3000, recorded: [.telemetry])
        _ = outbox.append(Self.record(.telemetry, 1))
        _ = outbox.append(Self.record(.events, 1))
        for _ in 0..<2 {
            if let record = Self.next(&outbox) { outbox.acknowledge(record.stream, record.id) }
        }
        #expect(outbox.count == 0)
        #expect(outbox.unwritten.map(\.stream) == [.telemetry])
        #expect(outbox.append(Self.record(.responses, 1, bytes: 3)).isEmpty)
        #expect(outbox.unwritten.map(\.stream) == [.responses])
        #expect(outbox.dropped == 0)
    }

    @Test("The records of a lost disk become gaps")
    func lostDisk() {
        var outbox = Outbox(limit: 100_000)
        outbox.diskOpened(.events, sent: RecordID(epoch: 1, seq: 3), last: RecordID(epoch: 1, seq: 7), waiting: 4)
        _ = outbox.append(Self.record(.events, 1, epoch: 2))
        #expect(outbox.count == 5)
        let gaps = outbox.diskLost()
        #expect(gaps.map(\.range) == [4...7] && gaps.map(\.epoch) == [1])
        #expect(outbox.count == 1 && outbox.dropped == 4)
        #expect(Self.drain(&outbox) == ["events 1"])
        #expect(outbox.diskLost().isEmpty)
    }

    @Test(
        "Over any writes, losses of the connection and restarts, records are sent in order, and none is lost",
        arguments: 0..<60
    )
    func model(seed: UInt64) {
        var numbers = SeededNumbers(seed)
        var disk = Disk()
        var outbox = Outbox(limit: .max, recorded: seed % 2 == 0 ? [.telemetry] : [])
        var last: [RecordStream: UInt64] = [:]
        var epoch: UInt64 = 1
        var waiting: [StoredRecord] = []
        var inFlight: [StoredRecord] = []
        func rank(_ record: StoredRecord) -> (Int, RecordID) {
            (RecordStream.allCases.firstIndex(of: record.stream) ?? 9, record.id)
        }
        /// The acknowledged part on the disk: it is written with the records.
        var marks: [RecordStream: RecordID] = [:]
        for _ in 0..<600 {
            switch Int.random(in: 0..<20, using: &numbers) {
            case 0..<8:
                let stream = RecordStream.allCases.randomElement(using: &numbers) ?? .events
                last[stream, default: 0] += 1
                let record = Self.record(stream, last[stream] ?? 0, epoch: epoch)
                #expect(outbox.append(record).isEmpty)
                waiting.append(record)
            case 8..<12:
                let expected = waiting.min { rank($0) < rank($1) }
                #expect(Self.next(&outbox, disk) == expected)
                guard let expected else { continue }
                waiting.removeAll { $0 == expected }
                inFlight.append(expected)
            case 12..<16:
                guard let record = inFlight.randomElement(using: &numbers) else { continue }
                outbox.acknowledge(record.stream, record.id)
                inFlight.removeAll { $0 == record }
            case 16:
                outbox.returnInFlight()
                waiting += inFlight
                inFlight = []
            case 17..<19:
                disk.records += outbox.unwritten
                for stream in RecordStream.allCases { marks[stream] = outbox.sent(stream) }
                outbox.written()
            default:
                // The process is killed: unwritten records are lost, and unwritten acknowledgements are repeated.
                epoch += 1
                last = [:]
                outbox = Outbox(limit: .max)
                waiting = disk.records.filter { $0.id > marks[$0.stream] ?? .zero }
                inFlight = []
                for stream in RecordStream.allCases {
                    let records = disk.records.filter { $0.stream == stream }
                    let mark = marks[stream] ?? .zero
                    let end = records.map(\.id).max() ?? .zero
                    outbox.diskOpened(stream, sent: mark, last: end, waiting: records.filter { $0.id > mark }.count)
                }
            }
            #expect(outbox.count == waiting.count + inFlight.count)
        }
        #expect(outbox.dropped == 0)
    }
}
