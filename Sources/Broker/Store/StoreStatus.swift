// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract

/// The status of the store.
package struct StoreStatus: Hashable, Sendable {
    /// The number of records that this process has numbered.
    package var numbered: UInt64
    /// The number of the agent's start.
    package var epoch: UInt64
    /// The last number of each stream, in this epoch, up to which the broker has acknowledged all records.
    package var acknowledged: [RecordStream: UInt64]
    /// The number of records without an acknowledgement.
    package var records: Int
    /// The number of records that were dropped since the start.
    package var dropped: Int
    /// The birth of the oldest record without an acknowledgement.
    package var oldest: StoredRecord.Birth?
    /// The used bytes of the database; nil if there is none.
    package var bytes: Int64?
    /// The reason why the newest data is not on the disk; nil if it is.
    package var problem: String?
}
