// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// The times at which expired records are looked for.
///
/// Expiry depends on the date, so the date must be trusted and must have been steady for a while. A clock that jumps
/// years ahead for a moment therefore removes nothing.
struct RetentionSchedule: Sendable {
    /// The time for which the date must have been steady.
    static let settlingTime = Duration.seconds(600)
    /// The time between two checks.
    static let interval = Duration.seconds(3600)
    /// The largest change of the boot's date that does not count as a step.
    static let tolerance = Duration.seconds(60)

    private let keepDays: Int64
    private var steady: (start: Timestamp, since: MonotonicTime)?
    private var checkedAt: MonotonicTime?

    init(keepDays: Int64) {
        self.keepDays = keepDays
    }

    /// Returns the expiry dates if a check is due, else nil.
    mutating func expiry(at now: MonotonicTime, _ start: BootStart) -> Expiry? {
        guard start.quality == .synchronised else {
            self.steady = nil
            return nil
        }
        guard let steady = self.steady, (start.date - steady.start).magnitude <= Self.tolerance else {
            self.steady = (start.date, now)
            return nil
        }
        guard now - steady.since >= Self.settlingTime, self.checkedAt.map({ now - $0 >= Self.interval }) ?? true else {
            return nil
        }
        self.checkedAt = now
        return Expiry(now: start.date + now.sinceBoot, keepDays: self.keepDays)
    }
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}

/// The dates before which records have expired.
struct Expiry: Hashable, Sendable {
    /// The lifetime of a response without an acknowledgement: the longest validity of a command, and a day.
    static let responseLifetime = Duration.seconds(2 * 86_400)

    /// The earliest date of birth of acknowledged records.
    let recorded: Timestamp
    /// The earliest date of birth of responses without an acknowledgement.
    let responses: Timestamp

    init(now: Timestamp, keepDays: Int64) {
        self.recorded = now + .seconds(-keepDays * 86_400)
        self.responses = now + (.zero - Self.responseLifetime)
    }
}
