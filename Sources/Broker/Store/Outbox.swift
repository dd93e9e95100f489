// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract

/// The records without an acknowledgement, in the order in which they are published.
///
/// Responses go before events, events before telemetry; within a stream the order is that of epoch and number. A
/// record is created in memory. The next write moves it to the disk, from which it is read back in pages. ``Store``
/// performs the reads and writes.
package struct Outbox: Sendable {
    /// The records of one stream.
    private struct Queue: Sendable {
        /// The end of the acknowledged records without a hole.
        var sent = RecordID.zero
        /// The last record on the disk.
        var written = RecordID.zero
        /// The last record that was handed out.
        var cursor = RecordID.zero
        /// The records after the cursor that were read from the disk.
        var page: ArraySlice<StoredRecord> = []
        /// The records that are in memory only, in order.
        var unwritten: [StoredRecord] = []
        /// The records that were handed out and not acknowledged.
        var inFlight: [RecordID] = []
        /// The acknowledged records after ``sent``.
        var acknowledged: Set<RecordID> = []
        /// The number of records without an acknowledgement.
        var waiting = 0
        /// The record of which the disk has a snapshot only.
        ///
        /// After a crash, the next process would send the snapshot under the same number.
        var drafted: RecordID?

        func isAcknowledged(_ id: RecordID) -> Bool { id <= self.sent || self.acknowledged.contains(id) }

        /// Returns the index in ``unwritten`` of the first record after `id`.
        func index(after id: RecordID) -> Int {
            var range = self.unwritten.startIndex..<self.unwritten.endIndex
            while !range.isEmpty {
                let middle = range.lowerBound + range.count / 2
                range = self.unwritten[middle].id > id ? range.lowerBound..<middle : middle + 1..<range.upperBound
            }
            return range.lowerBound
        }

        /// Moves ``sent`` over the records that are acknowledged without a hole.
        mutating func advanceSent() {
            let end = min(self.cursor, self.inFlight.min()?.before ?? self.cursor)
            self.sent = max(self.sent, end)
            self.acknowledged = self.acknowledged.filter { $0 > self.sent }
        }
    }

    /// The largest size of the records in memory, in bytes.
    private let limit: Int
    /// The streams whose acknowledged records are kept as the recording.
    private let recorded: Set<RecordStream>
    /// Whether a broker acknowledges records; otherwise none waits for that.
    private let hasBroker: Bool
    private var queues: [RecordStream: Queue] = [:]
    private var bytes = 0
    /// The number of dropped records.
    package private(set) var dropped = 0

    package init(limit: Int, recorded: Set<RecordStream> = [], hasBroker: Bool = true) {
        self.limit = limit
        self.recorded = recorded
        self.hasBroker = hasBroker
    }

    /// The number of records without an acknowledgement.
    package var count: Int { self.queues.values.reduce(0) { $0 + $1.waiting } }

    /// Returns the end of the acknowledged records without a hole.
    package func sent(_ stream: RecordStream) -> RecordID { self.queues[stream]?.sent ?? .zero }

    /// Returns the last record in flight.
    package func lastInFlight(_ stream: RecordStream) -> RecordID? { self.queues[stream]?.inFlight.max() }

    /// Whether no record is in memory only.
    package var isWritten: Bool { self.queues.values.allSatisfy(\.unwritten.isEmpty) }

    /// The records that are in memory only, by stream and in order.
    package var unwritten: [StoredRecord] { RecordStream.allCases.flatMap { self.queues[$0]?.unwritten ?? [] } }

    /// Returns the first record without an acknowledgement that is in memory only.
    package func firstUnwritten(_ stream: RecordStream) -> StoredRecord? {
        guard let queue = self.queues[stream] else { return nil }
        return queue.unwritten.first { !queue.isAcknowledged($0.id) }
    }

    /// Returns the records of a stream in a range that are in memory only, acknowledged or not.
    package func unwritten(of stream: RecordStream, in range: ClosedRange<RecordID>) -> ArraySlice<StoredRecord> {
        guard let queue = self.queues[stream] else { return [] }
        let first = queue.index(after: range.lowerBound.before)
        return queue.unwritten[first..<max(first, queue.index(after: range.upperBound))]
    }

    /// Whether the broker has acknowledged a record.
    package func isAcknowledged(_ stream: RecordStream, _ id: RecordID) -> Bool {
        self.queues[stream]?.isAcknowledged(id) ?? false
    }

    /// Adds the records of a stream on a disk that was opened.
    ///
    /// They are older than those in memory.
    package mutating func diskOpened(_ stream: RecordStream, sent: RecordID, last: RecordID, waiting: Int) {
        var queue = self.queues[stream] ?? Queue()
        queue.written = max(sent, last)
        if self.hasBroker {
            let isAcknowledged = queue.isAcknowledged
            self.bytes -= queue.unwritten.filter { isAcknowledged($0.id) }.reduce(0) { $0 + $1.size }
            queue.unwritten.removeAll { isAcknowledged($0.id) }
            (queue.sent, queue.cursor, queue.page) = (sent, sent, [])
            queue.waiting += waiting
        } else {
            // What an earlier process had for a broker waits for none any more.
            queue.sent = max(queue.sent, queue.written)
            queue.cursor = queue.sent
        }
        self.queues[stream] = queue
    }

    /// Drops the records on a disk that was lost.
    ///
    /// - Returns: the gaps that they leave.
    package mutating func diskLost() -> [RecordGap] {
        var gaps: [RecordGap] = []
        for (stream, var queue) in self.queues {
            let lost = queue.waiting - queue.unwritten.filter { !queue.isAcknowledged($0.id) }.count
            let first = RecordID(rawValue: queue.sent.rawValue + 1)
            if lost > 0, first <= queue.written {
                let start = first.epoch == queue.written.epoch ? first.seq : 1
                gaps.append(
                    RecordGap(stream, epoch: queue.written.epoch, min(start, queue.written.seq)...queue.written.seq)
                )
                self.dropped += lost
                queue.waiting -= lost
            }
            // A record in flight may still arrive, although it is part of a gap.
            let written = queue.written
            queue.inFlight.removeAll { $0 <= written }
            queue.sent = max(queue.sent, queue.written)
            queue.cursor = max(queue.cursor, queue.sent)
            queue.page = []
            self.queues[stream] = queue
        }
        return gaps
    }

    /// Adds a record.
    ///
    /// - Returns: the gaps of the records that were dropped for want of room.
    package mutating func append(_ record: StoredRecord) -> [RecordGap] {
        self.queues[record.stream, default: Queue()].unwritten.append(record)
        self.queues[record.stream]?.waiting += 1
        self.bytes += record.size
        if !self.hasBroker { self.settle(record) }
        var gone: [RecordStream: [RecordID]] = [:]
        while self.bytes > self.limit, let (stream, id) = self.evict() {
            if let id { gone[stream, default: []].append(id) }
        }
        return gone.flatMap { RecordGap.gaps($0.key, $0.value) }
    }

    /// Counts a record as delivered, so that it is kept as a part of the recording only.
    private mutating func settle(_ record: StoredRecord) {
        self.queues[record.stream]?.inFlight.append(record.id)
        self.queues[record.stream]?.cursor = record.id
        self.acknowledge(record.stream, record.id)
    }

    package enum NextAction: Hashable, Sendable {
        /// No record waits.
        case none
        /// Read a page between these ids from the disk, pass it to ``Outbox/read(_:_:)``, and call
        /// ``Outbox/next(except:)`` again.
        case read(RecordStream, after: RecordID, through: RecordID)
        /// The record is in flight from now on.
        case publish(StoredRecord)
    }

    /// Returns the next record to publish.
    ///
    /// - Parameter except: the streams that are held back, or can't be read from the disk.
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
                } else if let first = queue.unwritten[queue.index(after: queue.cursor)...].first,
                    first.id != queue.drafted
                {
                    next = first
                } else {
                    break
                }
                queue.cursor = max(queue.cursor, next.id)
                guard !queue.isAcknowledged(next.id), !queue.inFlight.contains(next.id) else { continue }
                queue.inFlight.append(next.id)
                return .publish(next)
            }
        }
        return .none
    }

    /// Takes the requested page; it is empty if the disk has no more records.
    package mutating func read(_ stream: RecordStream, _ records: [StoredRecord]) {
        self.queues[stream]?.page = records[...]
        if records.isEmpty, let queue = self.queues[stream] { self.queues[stream]?.cursor = queue.written }
    }

    /// Takes note that the broker has acknowledged a record.
    ///
    /// A record that is not in flight is ignored.
    package mutating func acknowledge(_ stream: RecordStream, _ id: RecordID) {
        // The queue leaves the dictionary, so that the change copies no array of thousands of records.
        guard let index = self.queues[stream]?.inFlight.firstIndex(of: id),
            var queue = self.queues.removeValue(forKey: stream)
        else { return }
        queue.inFlight.remove(at: index)
        queue.acknowledged.insert(id)
        queue.waiting -= 1
        let place = queue.index(after: id.before)
        if !self.recorded.contains(stream), place < queue.unwritten.endIndex, queue.unwritten[place].id == id {
            self.bytes -= queue.unwritten.remove(at: place).size
        }
        queue.advanceSent()
        self.queues[stream] = queue
    }

    /// Drops a record that the broker will never acknowledge.
    ///
    /// A record that is not in flight is ignored.
    package mutating func giveUp(_ stream: RecordStream, _ id: RecordID) -> [RecordGap] {
        guard self.queues[stream]?.inFlight.contains(id) == true else { return [] }
        self.acknowledge(stream, id)
        self.dropped += 1
        return RecordGap.gaps(stream, [id])
    }

    /// Returns the records in flight to the front of the queue, because the connection is lost.
    package mutating func returnInFlight() {
        for stream in self.queues.keys {
            guard let first = self.queues[stream]?.inFlight.min() else { continue }
            self.queues[stream]?.cursor = first.before
            self.queues[stream]?.page = []
            self.queues[stream]?.inFlight = []
        }
    }

    /// Takes note that all of ``unwritten`` is on the disk.
    ///
    /// - Parameter draft: the telemetry record of which a snapshot is on the disk. When it is complete, it and the
    ///   records after it wait until the complete one is on the disk.
    package mutating func written(draft: RecordID? = nil) {
        self.queues[.telemetry, default: Queue()].drafted = draft
        for (stream, queue) in self.queues {
            guard let last = queue.unwritten.last else { continue }
            self.queues[stream]?.written = last.id
            self.queues[stream]?.unwritten = []
        }
        self.bytes = 0
    }

    /// Takes note that the disk can't be written.
    ///
    /// No record waits for it.
    package mutating func writeFailed() {
        self.queues[.telemetry]?.drafted = nil
    }

    /// Takes note that waiting records were evicted from the disk.
    ///
    /// - Returns: the gaps that they leave.
    package mutating func evicted(_ stream: RecordStream, _ waiting: [RecordID]) -> [RecordGap] {
        self.queues[stream]?.waiting -= waiting.count
        self.queues[stream]?.page = []
        self.dropped += waiting.count
        return RecordGap.gaps(stream, waiting)
    }

    /// Drops the most dispensable record in memory.
    ///
    /// - Returns: the record without an id if it was acknowledged; nil if no record can be dropped.
    private mutating func evict() -> (RecordStream, RecordID?)? {
        let order: [(RecordStream, Bool)] = [(.telemetry, true), (.events, false), (.events, true), (.responses, true)]
        for (stream, includesCritical) in order {
            guard let queue = self.queues[stream],
                let index = queue.unwritten.firstIndex(where: {
                    (includesCritical || !$0.isCritical) && !queue.inFlight.contains($0.id)
                }),
                let record = self.queues[stream]?.unwritten.remove(at: index)
            else { continue }
            self.bytes -= record.size
            guard !queue.isAcknowledged(record.id) else { return (stream, nil) }
            self.queues[stream]?.waiting -= 1
            self.dropped += 1
            return (stream, record.id)
        }
        return nil
    }
}
