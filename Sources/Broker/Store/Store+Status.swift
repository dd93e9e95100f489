// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract

extension Store {
    /// The current status.
    package var status: StoreStatus {
        StoreStatus(
            numbered: self.lastNumbers.values.reduce(0, +),
            epoch: self.epoch,
            acknowledged: self.acknowledgedNumbers,
            records: self.outbox.count,
            dropped: self.outbox.dropped,
            oldest: self.oldest,
            bytes: try? self.file?.used(),
            problem: self.problem
        )
    }

    private var acknowledgedNumbers: [RecordStream: UInt64] {
        let ends = RecordStream.allCases.map { ($0, self.outbox.sent($0)) }.filter { $1.epoch == self.epoch }
        return Dictionary(uniqueKeysWithValues: ends.map { ($0, $1.seq) })
    }

    private var oldest: StoredRecord.Birth? {
        let births = RecordStream.allCases.compactMap { stream -> StoredRecord? in
            let end = RecordID(rawValue: .max)
            let first = try? self.file?.records.page(
                of: stream,
                in: self.options.boot,
                after: self.outbox.sent(stream),
                through: end,
                limit: 1
            ).first
            // The incomplete batch is on the disk, but does not wait for the broker yet.
            guard let first, first.id.epoch < self.epoch || first.id.seq <= self.lastNumbers[stream] ?? 0 else {
                return self.outbox.firstUnwritten(stream)
            }
            return first
        }
        return births.min { $0.id < $1.id }?.birth
    }
}
