// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The date by the synchronised clocks of the fleet.
///
/// The clock of the collector's machine may be wrong for a while after its start, and a vehicle's clock too. So the date
/// is the median of the vehicles that were heard in the last hours.
package struct FleetClock: Hashable, Sendable {
    /// The time for which a vehicle's record counts.
    static let validity = Duration.seconds(6 * 3600)
    /// The largest number of vehicles; those beyond do not count.
    static let limit = 20_000

    private struct Reading: Hashable, Sendable {
        var date: Timestamp
        var heard: MonotonicTime
    }

    /// The newest reading of each vehicle.
    private var readings: [String: Reading] = [:]

    package init() {}

    /// Records were committed.
    package mutating func recordsCommitted(_ records: [CollectedRecord], at now: MonotonicTime) {
        for record in records where record.isSynchronised {
            let old = self.readings[record.vehicle]
            guard old != nil || self.readings.count < Self.limit else { continue }
            let isNewest = old.map { $0.date < record.time || now - $0.heard > Self.validity } ?? true
            if isNewest { self.readings[record.vehicle] = Reading(date: record.time, heard: now) }
        }
    }

    /// Returns the date, but not one after that of the own clock; nil if no vehicle was heard in the last hours.
    package mutating func date(notAfter own: Timestamp, at now: MonotonicTime) -> Timestamp? {
        self.readings = self.readings.filter { now - $0.value.heard <= Self.validity }
        let dates = self.readings.values.map(\.date).sorted()
        guard !dates.isEmpty else { return nil }
        return min(own, dates[(dates.count - 1) / 2])
    }
}
