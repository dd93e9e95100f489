// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// The latest date that has certainly passed.
///
/// The date shows that a clock was set back.
///
/// A date counts after the machine has run for ten minutes on trusted clocks that never showed an earlier date. A clock
/// that jumps years ahead for a moment therefore changes nothing. The ten minutes may span several boots.
struct DateMemory: Sendable {
    /// The part that is persisted.
    struct Dates: Hashable, Sendable {
        /// The latest date that has certainly passed; nil until there is one.
        var latest: Timestamp?
        /// The date that may become ``latest``.
        var candidate: Timestamp?
        /// The running time since ``candidate``, in whole milliseconds.
        var candidateAge = Duration.zero
    }

    /// The running time after which a date counts.
    static let settlingTime = RetentionSchedule.settlingTime
    /// The largest step of the clock that is a correction.
    static let tolerance = RetentionSchedule.tolerance

    var dates = Dates()
    /// The time of the previous ``note(at:_:)``; nil if the clock was not trusted then.
    private var notedAt: MonotonicTime?

    /// Takes note of the current date.
    ///
    /// - Parameter start: the date of the current boot as it is known now.
    mutating func note(at now: MonotonicTime, _ start: BootStart) {
        guard start.quality == .synchronised else {
            self.notedAt = nil
            return
        }
        let elapsed = Duration.milliseconds(self.notedAt.map { (now - $0).milliseconds } ?? 0)
        self.notedAt = now
        let date = start.date + now.sinceBoot
        guard let candidate = self.dates.candidate,
            date + Self.tolerance >= candidate + self.dates.candidateAge + elapsed
        else { return self.begin(at: date) }
        self.dates.candidateAge += elapsed
        guard self.dates.candidateAge >= Self.settlingTime else { return }
        let passed = candidate + self.dates.candidateAge
        self.dates.latest = max(self.dates.latest ?? passed, min(passed, date))
        // The machine was off, or the clock has jumped ahead: the ten minutes begin again.
        if date > passed + Self.tolerance { self.begin(at: date) }
    }

    /// Returns the given date if the ten minutes of its clock have passed, else nil.
    func certain(_ date: Timestamp) -> Timestamp? {
        guard let latest = self.dates.latest, latest <= date + Self.tolerance, date <= latest + Self.tolerance
        else { return nil }
        return date
    }

    private mutating func begin(at date: Timestamp) {
        (self.dates.candidate, self.dates.candidateAge) = (date, .zero)
    }
}

/// The ``DateMemory`` with its copy on the disk: decides when the copy is written.
struct DateLedger: Sendable {
    /// The age of the copy from which it is written with another commit.
    private static let writtenAlongAfter = Duration.seconds(120)
    /// The lag of the copy from which it is worth a commit of its own.
    private static let commitAfter = Duration.seconds(3600)

    private(set) var memory = DateMemory()
    /// The dates on the disk, as far as this process knows.
    private var written: DateMemory.Dates?
    /// The time of the last write, or of the opening of the store.
    private var writtenAt = MonotonicTime.zero

    var latest: Timestamp? { self.memory.dates.latest }

    mutating func opened(at now: MonotonicTime) { self.writtenAt = now }

    /// Takes note of the current date, and of a reset of the dates by another process.
    ///
    /// - Parameter onDisk: the dates on the disk; nil if they can't be read.
    mutating func note(at now: MonotonicTime, _ start: BootStart, onDisk: DateMemory.Dates?) {
        if let onDisk, onDisk != self.written { (self.memory.dates, self.written) = (onDisk, onDisk) }
        self.memory.note(at: now, start)
    }

    /// Whether the dates are worth a commit of their own.
    ///
    /// - Parameter isLast: whether no later commit follows.
    func needsCommit(at now: MonotonicTime, isLast: Bool) -> Bool {
        self.lag >= Self.commitAfter || (isLast && self.age(at: now) >= Self.writtenAlongAfter)
    }

    /// Returns the dates to write with a commit; nil if those on the disk are recent enough.
    ///
    /// - Parameter isRequired: whether the commit needs the dates.
    func toWrite(at now: MonotonicTime, isRequired: Bool) -> DateMemory.Dates? {
        let isDue = isRequired || self.age(at: now) >= Self.writtenAlongAfter || self.lag >= Self.commitAfter
        return isDue ? self.memory.dates : nil
    }

    mutating func wrote(_ dates: DateMemory.Dates, at now: MonotonicTime) {
        (self.written, self.writtenAt) = (dates, now)
    }

    /// The database was set aside with its dates.
    mutating func diskLost() { self.written = nil }

    private func age(at now: MonotonicTime) -> Duration {
        self.memory.dates == self.written ?? DateMemory.Dates() ? .zero : now - self.writtenAt
    }

    /// The time by which the latest date on the disk lags behind.
    private var lag: Duration {
        self.latest.map { $0 - (self.written?.latest ?? Timestamp(milliseconds: 0)) } ?? .zero
    }
}
