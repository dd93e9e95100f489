// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

extension Store {
    /// The moment of a flush, and the data that is written with the records.
    package struct FlushContext: Sendable {
        package var now: MonotonicTime
        /// The date of the current boot.
        package var start: BootStart
        /// The telemetry batch that still collects samples.
        package var draft: Draft?
        /// The values that are newer than those of the previous flush.
        package var values: [LastValue]

        package init(now: MonotonicTime, start: BootStart, draft: Draft? = nil, values: [LastValue] = []) {
            self.now = now
            self.start = start
            self.draft = draft
            self.values = values
        }
    }

    /// A snapshot of the telemetry batch that still collects samples.
    ///
    /// The snapshot is written with the records, and becomes a record itself if the power is cut.
    package struct Draft: Hashable, Sendable {
        package var body: [UInt8]
        package var at: MonotonicTime
        package var destination: StoredRecord.Destination

        package init(body: [UInt8], at: MonotonicTime, destination: StoredRecord.Destination) {
            self.body = body
            self.at = at
            self.destination = destination
        }
    }
}
