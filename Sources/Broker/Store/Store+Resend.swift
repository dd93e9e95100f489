// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
import SQLite

// The records that can be published again.
extension Store {
    /// Returns the records of a stream and an epoch in a range of numbers.
    ///
    /// - Throws: if the epoch has not begun, or if the disk should have records, but can't be read.
    package func kept(
        _ stream: RecordStream,
        epoch: UInt64,
        in numbers: ClosedRange<UInt64>
    ) throws(StoreError) -> KeptRecords {
        // To call its numbers missing would be a lie: they are still to come.
        guard epoch <= self.epoch else { throw .notBegun(epoch: epoch, present: self.epoch) }
        let isOpen = epoch == self.epoch
        var kept = KeptRecords(stream, [], last: isOpen ? self.lastNumbers[stream] ?? 0 : 0, isOpen: isOpen)
        // The number after the last one may be on the disk as the snapshot of a record that is being made.
        let last = RecordID(epoch: epoch, seq: isOpen ? kept.last : RecordID.seqLimit)
        let range = RecordID(epoch: epoch, seq: numbers.lowerBound)...RecordID(epoch: epoch, seq: numbers.upperBound)
        var sizes: [RecordID: Int] = [:]
        if numbers.lowerBound <= RecordID.seqLimit, range.lowerBound <= last {
            let range = range.clamped(to: range.lowerBound...last)
            let written = try self.reading { file throws(SQLiteError) in
                try file.records.sizes(of: stream, in: range)
            }
            sizes = written ?? [:]
            for record in self.outbox.unwritten(of: stream, in: range) { sizes[record.id] = record.size }
        }
        if !isOpen {
            let epoch = RecordID(epoch: epoch, seq: 0)...last
            let written = try self.reading { file throws(SQLiteError) in
                try file.records.last(of: stream, in: epoch)
            }
            kept.last = written?.seq ?? 0
        }
        kept.records = sizes.map {
            .init($0.key, size: $0.value, isAcknowledged: self.outbox.isAcknowledged(stream, $0.key))
        }
        kept.records.sort { $0.id < $1.id }
        return kept
    }

    /// Returns an acknowledged record, to be published again; nil if the store has it no longer.
    package func kept(_ stream: RecordStream, _ id: RecordID) throws(StoreError) -> StoredRecord? {
        if let record = self.outbox.unwritten(of: stream, in: id...id).first { return record }
        let boot = self.options.boot
        return try self.reading { file throws(SQLiteError) in
            try file.records.page(of: stream, in: boot, after: id.before, through: id, limit: 1).first
        }
    }

    /// The newest epoch before the present one that has records; nil if there is none, or the disk can't be read.
    package var previousEpoch: UInt64? {
        let earlier = RecordID(epoch: 0, seq: 0)...RecordID(epoch: self.epoch, seq: 0)
        return ResendArguments.streams.compactMap { stream in
            try? self.reading { file throws(SQLiteError) in try file.records.last(of: stream, in: earlier)?.epoch }
        }.max()
    }

    /// Reads the disk; returns nil if the store has no directory.
    private func reading<Result>(
        _ body: (StoreFile) throws(SQLiteError) -> Result?
    ) throws(StoreError) -> Result? {
        guard let directory = self.options.directory else { return nil }
        do throws(StoreError) {
            guard let file = self.file else { throw .noDirectory(directory) }
            return try StoreError.wrapping { () throws(SQLiteError) in try body(file) }
        } catch {
            self.failed(error)
            throw error
        }
    }
}
