// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Base

/// The latest date that has certainly passed, so that a clock that was set back is noticed.
///
/// A date counts once the machine has run for ten minutes on trusted clocks of which none told an earlier date. A clock
/// that jumps years ahead for a moment therefore leaves nothing behind. The ten minutes may be those of several boots.
struct DateMemory: Sendable {
    /// The part that outlives the process.
    struct Kept: Hashable, Sendable {
        /// The latest date that has certainly passed; nil until there is one.
        var latest: Timestamp?
        /// The date that may become ``latest``.
        var candidate: Timestamp?
        /// The running time since ``candidate``, in whole milliseconds.
        var ran = Duration.zero
    }

    /// The running time after which a date counts.
    static let patience = RetentionSchedule.patience
    /// The largest step of the clock that is a correction.
    static let tolerance = RetentionSchedule.tolerance

    var kept = Kept()
    /// The time of the previous look, if the clock was trusted then.
    private var looked: MonotonicTime?

    /// Takes note of the present date.
    ///
    /// - Parameter start: the date of the present boot as it is known now.
    mutating func note(at now: MonotonicTime, _ start: BootStart) {
        guard start.quality == .synchronised else {
            self.looked = nil
            return
        }
        let elapsed = Duration.milliseconds(self.looked.map { (now - $0).milliseconds } ?? 0)
        self.looked = now
        let date = start.date + now.sinceBoot
        guard let candidate = self.kept.candidate,
            date + Self.tolerance >= candidate + self.kept.ran + elapsed
        else { return self.begin(at: date) }
        self.kept.ran += elapsed
        guard self.kept.ran >= Self.patience else { return }
        let passed = candidate + self.kept.ran
        self.kept.latest = max(self.kept.latest ?? passed, min(passed, date))
        // The machine was off, or the clock has jumped ahead: the ten minutes begin anew.
        if date > passed + Self.tolerance { self.begin(at: date) }
    }

    /// Returns the present date if the ten minutes of its clock have passed, else nil.
    func certain(_ date: Timestamp) -> Timestamp? {
        guard let latest = self.kept.latest, latest <= date + Self.tolerance, date <= latest + Self.tolerance
        else { return nil }
        return date
    }

    private mutating func begin(at date: Timestamp) {
        (self.kept.candidate, self.kept.ran) = (date, .zero)
    }
}
