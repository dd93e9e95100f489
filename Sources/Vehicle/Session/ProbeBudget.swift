// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The probes that were spent on a parked vehicle: what outlives the process that spent them.
package struct ProbeRecord: Hashable, Sendable {
    /// When, within the last hour.
    package var spent: [MonotonicTime]
    /// How many in the present night.
    package var spentInNight: Int

    package init(spent: [MonotonicTime] = [], spentInNight: Int = 0) {
        self.spent = spent
        self.spentInNight = spentInNight
    }
}

/// How often the bus of a parked vehicle was asked lately, and whether it may be asked again.
struct ProbeBudget: Sendable {
    private static let hour = Duration.seconds(3600)

    private let perHour: Int
    private let perNight: Int
    private(set) var record: ProbeRecord
    /// When the vehicle was probed, or used, last.
    private(set) var last: MonotonicTime?

    init(_ policy: ParkingPolicy, _ record: ProbeRecord) {
        self.perHour = policy.probesPerHour
        self.perNight = policy.probesPerNight
        self.record = record
        self.last = record.spent.max()
    }

    /// The least time between two probes for which there is no sign but the clock.
    ///
    /// One probe of each hour is kept for a sign, where there is more than one.
    var interval: Duration { Self.hour / max(1, self.perHour - 1) }

    /// Whether a probe may be spent now.
    ///
    /// - Parameter keepsOne: whether one is to be left afterwards, where an hour has more than one.
    mutating func hasProbe(at now: MonotonicTime, isQuiet: Bool, keepsOne: Bool = false) -> Bool {
        if !isQuiet { self.record.spentInNight = 0 }
        self.record.spent.removeAll { now - $0 >= Self.hour }
        let limit = keepsOne && self.perHour > 1 ? self.perHour - 1 : self.perHour
        return self.record.spent.count < limit && !(isQuiet && self.record.spentInNight >= self.perNight)
    }

    mutating func spend(at now: MonotonicTime, isQuiet: Bool) {
        self.record.spent.append(now)
        self.record.spentInNight = isQuiet ? self.record.spentInNight + 1 : 0
        self.last = now
    }

    /// The vehicle was in use until now.
    mutating func left(at now: MonotonicTime) { self.last = now }

    /// The engine runs, and charges: what was spent is forgotten.
    mutating func refill() {
        self.record = ProbeRecord()
    }
}
