// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// A record of a stream, decoded and checked.
package struct CollectedRecord: Hashable, Sendable {
    package var key: StreamKey
    /// The number of the record, from 1.
    package var seq: UInt64
    /// The time of the record: `t0` of telemetry.
    package var time: Timestamp
    package var isSynchronised: Bool
    package var content: Content
    /// The message, for the table `rejected` if the database does not accept the record.
    package var message: Message

    /// The content of a record.
    package enum Content: Hashable, Sendable {
        case telemetry([Series], [Telemetry.TrackPoint])
        case event(CollectedEvent)
        case response(CollectedResponse)
    }

    /// The samples of a series.
    package struct Series: Hashable, Sendable {
        package var key: SeriesKey
        /// The times in milliseconds since 1970-01-01T00:00:00Z.
        package var times: [Int64]
        /// As many finite numbers.
        package var values: [Double]

        package init(key: SeriesKey, times: [Int64], values: [Double]) {
            self.key = key
            self.times = times
            self.values = values
        }
    }

    /// The topic level of the vehicle.
    package var vehicle: String { self.key.vehicle }

    package init(
        key: StreamKey,
        seq: UInt64,
        time: Timestamp,
        isSynchronised: Bool,
        content: Content,
        message: Message
    ) {
        self.key = key
        self.seq = seq
        self.time = time
        self.isSynchronised = isSynchronised
        self.content = content
        self.message = message
    }
}
