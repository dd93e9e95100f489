// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The probes spent on a parked vehicle.
///
/// The record is persisted, so that a new process continues with it.
package struct ProbeRecord: Hashable, Sendable {
    /// The times of the probes within the last hour.
    package var spent: [MonotonicTime]
    /// The number of probes in the current night.
    package var spentInNight: Int

    package init(spent: [MonotonicTime] = [], spentInNight: Int = 0) {
        self.spent = spent
        self.spentInNight = spentInNight
    }
}

/// The budget of probes of a parked vehicle, by hour and by night.
struct ProbeBudget: Sendable {
    private static let hour = Duration.seconds(3600)

    private let perHour: Int
    private let perNight: Int
    private(set) var record: ProbeRecord
    /// The time of the last probe or use of the vehicle.
    private(set) var last: MonotonicTime?

    init(_ policy: ParkingPolicy, _ record: ProbeRecord) {
        self.perHour = policy.probesPerHour
        self.perNight = policy.probesPerNight
        self.record = record
        self.last = record.spent.max()
    }

    /// The shortest time between two probes whose only reason is the clock.
    ///
    /// If an hour has more than one probe, one of them is kept for a sign of ignition.
    var interval: Duration { Self.hour / max(1, self.perHour - 1) }

    /// Whether a probe may be spent now.
    ///
    /// - Parameter keepsOne: whether one probe must be left afterwards, if an hour has more than one.
    mutating func hasProbe(at now: MonotonicTime, isQuiet: Bool, keepsOne: Bool = false) -> Bool {
        if !isQuiet { self.record.spentInNight = 0 }
        self.record.spent.removeAll { now - $0 >= Self.hour }
        let limit = keepsOne && self.perHour > 1 ? self.perHour - 1 : self.perHour
        return self.record.spent.count < limit && !(isQuiet && self.record.spentInNight >= self.perNight)
    }

    /// Whether the user allows any probe at all.
    func isAny(isQuiet: Bool) -> Bool { self.perHour > 0 && !(isQuiet && self.perNight == 0) }

    mutating func spend(at now: MonotonicTime, isQuiet: Bool) {
        self.record.spent.append(now)
        self.record.spentInNight = isQuiet ? self.record.spentInNight + 1 : 0
        self.last = now
    }

    /// Notes that the vehicle was in use until now.
    mutating func useEnded(at now: MonotonicTime) { self.last = now }

    /// Forgets the spent probes, because the engine runs and charges the battery.
    mutating func refill() {
        self.record = ProbeRecord()
    }
}
