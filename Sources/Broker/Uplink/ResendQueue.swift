// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Store

/// The records that consumers have asked for again, in the order of the requests.
///
/// At most one record is in flight. The queue is in memory only: a consumer that waits in vain asks once more.
struct ResendQueue: Sendable {
    /// The largest number of records in the queue: those of four commands.
    static let limit = 4 * Int(ResendArguments.limit)
    /// The largest number of records that are published again in a second.
    static let rate = 4

    /// A record of the queue.
    struct Entry: Hashable, Sendable {
        let stream: RecordStream
        let id: RecordID
        /// The approximate size in bytes.
        let size: Int
    }

    /// The records that wait, in reverse order, so that the next one is at the end.
    private var waiting: [Entry] = []
    private var inFlight: Entry?
    private var bucket: TokenBucket
    /// The approximate size of all records of the queue, in bytes.
    private(set) var bytes = 0

    init(at now: MonotonicTime) {
        self.bucket = TokenBucket(capacity: Self.rate, interval: .seconds(1) / Self.rate, at: now)
    }

    /// The number of records that are queued or in flight.
    var count: Int { self.waiting.count + (self.inFlight == nil ? 0 : 1) }

    /// Queues the records of a request that the broker has acknowledged; the others are published in any case.
    ///
    /// The queue takes no record twice. A request beyond the room is cut: the report has the last number that counts.
    ///
    /// - Parameters:
    ///   - kept: the records that the store has in the range of the request.
    ///   - room: the bytes for which there is room, those of the queue included.
    mutating func add(_ request: ResendArguments, _ kept: KeptRecords, room: Int) -> ResendReport {
        var end = request.numbers.upperBound
        // Numbers beyond the last one of an open epoch are still to come.
        if kept.isOpen || request.to == nil { end = min(end, max(kept.last, request.from - 1)) }
        let entries = self.waiting + [self.inFlight].compactMap(\.self)
        let queued = Set(entries.lazy.filter { $0.stream == kept.stream }.map(\.id))
        var added: [Entry] = []
        var present: [UInt64] = []
        for record in kept.records {
            if record.isAcknowledged, !queued.contains(record.id) {
                guard self.count + added.count < Self.limit, self.bytes < room else {
                    end = record.id.seq - 1
                    break
                }
                added.append(Entry(stream: kept.stream, id: record.id, size: record.size))
                self.bytes += record.size
            }
            present.append(record.id.seq)
        }
        self.waiting = added.reversed() + self.waiting
        return ResendReport(
            request.stream,
            epoch: request.epoch,
            from: request.from,
            to: end,
            records: present.count,
            missing: Self.gaps(in: present, from: request.from, through: end),
            last: kept.last
        )
    }

    /// Returns the ranges between numbers in ascending order.
    private static func gaps(in numbers: [UInt64], from: UInt64, through end: UInt64) -> [ClosedRange<UInt64>] {
        var gaps: [ClosedRange<UInt64>] = []
        var next = from
        for number in numbers + [end + 1] {
            if next < number { gaps.append(next...number - 1) }
            next = number + 1
        }
        return gaps
    }

    /// Returns the next record, which is in flight from now on; nil if none may be published now.
    ///
    /// - Parameter level: the level of the data budget. Above `normal`, the records wait for the next day.
    mutating func next(at now: MonotonicTime, level: BudgetLevel) -> Entry? {
        guard self.inFlight == nil, !self.waiting.isEmpty, level == .normal, self.bucket.take(at: now) != nil else {
            return nil
        }
        self.inFlight = self.waiting.popLast()
        return self.inFlight
    }

    /// Removes a record: the broker has acknowledged or rejected it, or the store has it no longer.
    mutating func remove(_ stream: RecordStream, _ id: RecordID) {
        if let entry = self.inFlight, entry.stream == stream, entry.id == id {
            self.inFlight = nil
            self.bytes -= entry.size
        } else if let index = self.waiting.lastIndex(where: { $0.stream == stream && $0.id == id }) {
            self.bytes -= self.waiting.remove(at: index).size
        }
    }

    /// Returns the record in flight to the queue, because the connection is lost.
    mutating func returnInFlight() {
        if let entry = self.inFlight.take() { self.waiting.append(entry) }
    }
}
