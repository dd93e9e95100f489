// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract

/// The records that the broker has not acknowledged, in the order in which they go.
///
/// Responses go before events, events before telemetry; within a stream the order is that of epoch and number. A
/// record is born in memory, and is on the disk as well from the next write on; what is on the disk is read back in
/// pages. The disk's side of it is performed by ``Store``.
package struct Outbox: Sendable {
    /// One stream.
    private struct Queue: Sendable {
        /// Everything up to here is acknowledged.
        var sent = RecordID.zero
        /// Everything up to here is on the disk, as far as there is anything.
        var written = RecordID.zero
        /// Everything up to here was handed out.
        var cursor = RecordID.zero
        /// What is on the disk after the cursor, as far as it was read.
        var page: ArraySlice<StoredRecord> = []
        /// What is in memory only, in order.
        var fresh: [StoredRecord] = []
        /// What was handed out and is not acknowledged.
        var flying: [RecordID] = []
        /// What is acknowledged beyond `sent`.
        var acknowledged: Set<RecordID> = []
        /// How many are not acknowledged.
        var waiting = 0
        /// What the disk has in part only: another process would send that under the same number.
        var drafted: RecordID?

        func isDone(_ id: RecordID) -> Bool { id <= self.sent || self.acknowledged.contains(id) }

        /// Where in ``fresh`` the first record after `id` is, or would be.
        func index(after id: RecordID) -> Int {
            var range = self.fresh.startIndex..<self.fresh.endIndex
            while !range.isEmpty {
                let middle = range.lowerBound + range.count / 2
                range = self.fresh[middle].id > id ? range.lowerBound..<middle : middle + 1..<range.upperBound
            }
            return range.lowerBound
        }

        mutating func settle() {
            let end = min(self.cursor, self.flying.min()?.before ?? self.cursor)
            self.sent = max(self.sent, end)
            self.acknowledged = self.acknowledged.filter { $0 > self.sent }
        }
    }

    /// The room for what is in memory only, in bytes.
    private let limit: Int
    /// The streams that are kept also after the broker has them.
    private let recorded: Set<RecordStream>
    private var queues: [RecordStream: Queue] = [:]
    private var bytes = 0
    /// How many records were thrown away for want of room.
    package private(set) var dropped = 0

    package init(limit: Int, recorded: Set<RecordStream> = []) {
        self.limit = limit
        self.recorded = recorded
    }

    /// How many records are not acknowledged.
    package var count: Int { self.queues.values.reduce(0) { $0 + $1.waiting } }

    /// The end of what the broker has acknowledged without a hole.
    package func sent(_ stream: RecordStream) -> RecordID { self.queues[stream]?.sent ?? .zero }

    /// The last that was handed out and is not acknowledged.
    package func lastInFlight(_ stream: RecordStream) -> RecordID? { self.queues[stream]?.flying.max() }

    /// Whether nothing is in memory only.
    package var isWritten: Bool { self.queues.values.allSatisfy(\.fresh.isEmpty) }

    /// Everything that is in memory only, by stream and in order.
    package var unwritten: [StoredRecord] { RecordStream.allCases.flatMap { self.queues[$0]?.fresh ?? [] } }

    /// The first record that is not acknowledged and is in memory.
    package func firstUnwritten(_ stream: RecordStream) -> StoredRecord? {
        guard let queue = self.queues[stream] else { return nil }
        return queue.fresh.first { !queue.isDone($0.id) }
    }

    /// There is a disk, and this of the stream is on it.
    ///
    /// It is older than everything that is in memory.
    package mutating func opened(_ stream: RecordStream, sent: RecordID, last: RecordID, waiting: Int) {
        var queue = self.queues[stream] ?? Queue()
        let isDone = queue.isDone
        self.bytes -= queue.fresh.filter { isDone($0.id) }.reduce(0) { $0 + $1.size }
        queue.fresh.removeAll { isDone($0.id) }
        (queue.sent, queue.cursor, queue.written, queue.page) = (sent, sent, max(sent, last), [])
        queue.waiting += waiting
        self.queues[stream] = queue
    }

    /// The disk and what was on it are gone.
    package mutating func closed() -> [RecordGap] {
        var gaps: [RecordGap] = []
        for (stream, var queue) in self.queues {
            let lost = queue.waiting - queue.fresh.filter { !queue.isDone($0.id) }.count
            let first = RecordID(rawValue: queue.sent.rawValue + 1)
            if lost > 0, first <= queue.written {
                let start = first.epoch == queue.written.epoch ? first.seq : 1
                gaps.append(
                    RecordGap(stream, epoch: queue.written.epoch, min(start, queue.written.seq)...queue.written.seq)
                )
                self.dropped += lost
                queue.waiting -= lost
            }
            // What is in flight may arrive yet, and is announced all the same.
            let written = queue.written
            queue.flying.removeAll { $0 <= written }
            queue.sent = max(queue.sent, queue.written)
            queue.cursor = max(queue.cursor, queue.sent)
            queue.page = []
            self.queues[stream] = queue
        }
        return gaps
    }

    /// Takes a record; what had to go for it is returned.
    package mutating func append(_ record: StoredRecord) -> [RecordGap] {
        self.queues[record.stream, default: Queue()].fresh.append(record)
        self.queues[record.stream]?.waiting += 1
        self.bytes += record.size
        var gone: [RecordStream: [RecordID]] = [:]
        while self.bytes > self.limit, let (stream, id) = self.evict() {
            if let id { gone[stream, default: []].append(id) }
        }
        return gone.flatMap { RecordGap.gaps($0.key, $0.value) }
    }

    package enum NextAction: Hashable, Sendable {
        /// Nothing waits.
        case none
        /// Read the disk between these, hand it to ``Outbox/read(_:_:)``, and ask again.
        case read(RecordStream, after: RecordID, through: RecordID)
        /// The record is in flight from now on.
        case publish(StoredRecord)
    }

    /// The next record to publish.
    ///
    /// - Parameter except: streams that the disk does not give at the moment.
    package mutating func next(except unreadable: Set<RecordStream> = []) -> NextAction {
        for stream in RecordStream.allCases {
            guard !unreadable.contains(stream), var queue = self.queues[stream] else { continue }
            defer { self.queues[stream] = queue }
            while true {
                let next: StoredRecord
                if let first = queue.page.popFirst() {
                    next = first
                } else if queue.cursor < queue.written {
                    return .read(stream, after: queue.cursor, through: queue.written)
                } else if let first = queue.fresh[queue.index(after: queue.cursor)...].first, first.id != queue.drafted
                {
                    next = first
                } else {
                    break
                }
                queue.cursor = max(queue.cursor, next.id)
                guard !queue.isDone(next.id), !queue.flying.contains(next.id) else { continue }
                queue.flying.append(next.id)
                return .publish(next)
            }
        }
        return .none
    }

    /// The page that was asked for; empty where there is nothing more.
    package mutating func read(_ stream: RecordStream, _ records: [StoredRecord]) {
        self.queues[stream]?.page = records[...]
        if records.isEmpty, let queue = self.queues[stream] { self.queues[stream]?.cursor = queue.written }
    }

    /// The broker has the record.
    ///
    /// What is not in flight is ignored.
    package mutating func acknowledge(_ stream: RecordStream, _ id: RecordID) {
        // Taken out, so that no second copy of thousands of records is made.
        guard let index = self.queues[stream]?.flying.firstIndex(of: id),
            var queue = self.queues.removeValue(forKey: stream)
        else { return }
        queue.flying.remove(at: index)
        queue.acknowledged.insert(id)
        queue.waiting -= 1
        let place = queue.index(after: id.before)
        if !self.recorded.contains(stream), place < queue.fresh.endIndex, queue.fresh[place].id == id {
            self.bytes -= queue.fresh.remove(at: place).size
        }
        queue.settle()
        self.queues[stream] = queue
    }

    /// The broker will never take the record.
    ///
    /// What is not in flight is ignored.
    package mutating func giveUp(_ stream: RecordStream, _ id: RecordID) -> [RecordGap] {
        guard self.queues[stream]?.flying.contains(id) == true else { return [] }
        self.acknowledge(stream, id)
        self.dropped += 1
        return RecordGap.gaps(stream, [id])
    }

    /// The connection is lost: what was in flight waits again, before everything newer.
    package mutating func returnInFlight() {
        for stream in self.queues.keys {
            guard let first = self.queues[stream]?.flying.min() else { continue }
            self.queues[stream]?.cursor = first.before
            self.queues[stream]?.page = []
            self.queues[stream]?.flying = []
        }
    }

    /// Everything of ``unwritten`` is on the disk now, and of telemetry's record `draft` what there is of it so far.
    ///
    /// That one, once it is complete, and what comes after it, wait until the disk has it as it is.
    package mutating func written(draft: RecordID? = nil) {
        self.queues[.telemetry, default: Queue()].drafted = draft
        for (stream, queue) in self.queues {
            guard let last = queue.fresh.last else { continue }
            self.queues[stream]?.written = last.id
            self.queues[stream]?.fresh = []
        }
        self.bytes = 0
    }

    /// The disk takes nothing at the moment: nothing waits for it.
    package mutating func unwritable() {
        self.queues[.telemetry]?.drafted = nil
    }

    /// These are on the disk no more, for want of room; the last of them is the first of the rest's neighbour.
    package mutating func evicted(_ stream: RecordStream, _ waiting: [RecordID]) -> [RecordGap] {
        self.queues[stream]?.waiting -= waiting.count
        self.queues[stream]?.page = []
        self.dropped += waiting.count
        return RecordGap.gaps(stream, waiting)
    }

    /// Throws away what can be spared best; nil when there is nothing, no number when nobody will miss it.
    private mutating func evict() -> (RecordStream, RecordID?)? {
        let order: [(RecordStream, Bool)] = [(.telemetry, true), (.events, false), (.events, true), (.responses, true)]
        for (stream, evenCritical) in order {
            guard let queue = self.queues[stream],
                let index = queue.fresh.firstIndex(where: {
                    (evenCritical || !$0.isCritical) && !queue.flying.contains($0.id)
                }),
                let record = self.queues[stream]?.fresh.remove(at: index)
            else { continue }
            self.bytes -= record.size
            guard !queue.isDone(record.id) else { return (stream, nil) }
            self.queues[stream]?.waiting -= 1
            self.dropped += 1
            return (stream, record.id)
        }
        return nil
    }
}
