// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The share of a link for errands and trials, while polls are due all the time.
///
/// Work that took a while is followed by so many times of polling that it takes no more than its share.
struct IdleTime: Sendable {
    /// The share of trials, of freeze frames, and of bitmaps that an ECU has not sent yet.
    static let usual = 1.0 / 16
    /// The share of vehicle information, which is read in the first minutes of each session.
    static let least = 1.0 / 64

    /// The work under way: its begin, and its share.
    private var work: (begin: MonotonicTime, share: Double)?
    /// The earliest time of the next work.
    private var opening = MonotonicTime.zero

    /// Whether the next work may begin.
    func isOpen(at now: MonotonicTime) -> Bool { now >= self.opening }

    mutating func begin(at now: MonotonicTime, share: Double) { self.work = (now, share) }

    /// Notes that the work under way, if there is any, has ended.
    mutating func ended(at now: MonotonicTime) {
        guard let (begin, share) = self.work else { return }
        self.opening = now + (now - begin) * (1 / share - 1)
        self.work = nil
    }
}
