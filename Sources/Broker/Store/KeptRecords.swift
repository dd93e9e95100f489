// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract

/// The records in a range of numbers that a store has.
package struct KeptRecords: Hashable, Sendable {
    /// A record and its approximate size in bytes.
    package struct Record: Hashable, Sendable {
        package var id: RecordID
        package var size: Int
        /// Whether the broker has acknowledged the record; otherwise it waits, and is published in any case.
        package var isAcknowledged: Bool

        package init(_ id: RecordID, size: Int, isAcknowledged: Bool) {
            (self.id, self.size, self.isAcknowledged) = (id, size, isAcknowledged)
        }
    }

    package var stream: RecordStream
    /// The records in the order of their numbers.
    package var records: [Record]
    /// The highest number of the epoch; 0 if the store has no record of it.
    package var last: UInt64
    /// Whether the epoch goes on, so that higher numbers follow.
    package var isOpen: Bool

    package init(_ stream: RecordStream, _ records: [Record], last: UInt64, isOpen: Bool) {
        (self.stream, self.records, self.last, self.isOpen) = (stream, records, last, isOpen)
    }
}
