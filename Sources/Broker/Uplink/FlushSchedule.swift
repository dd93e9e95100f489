// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The flushes of the store: the time of the next one, and the outcome of the last one.
struct FlushSchedule: Sendable {
    /// The longest time for which records may be in memory only; zero: every record is written at once.
    private let window: Duration
    private var flushedAt: MonotonicTime
    /// The reason why the newest records are not on the disk; nil if they are.
    private(set) var problem: String?

    init(window: Duration, at now: MonotonicTime) {
        (self.window, self.flushedAt) = (window, now)
    }

    /// Whether every record is written at once.
    var isImmediate: Bool { self.window == .zero }

    /// Whether this tick is the nearest one to the end of the window.
    ///
    /// Ticks jitter: a tick may come a little before the end, and the next one would be too late.
    func isDue(at now: MonotonicTime, tick: Duration) -> Bool { now - self.flushedAt + tick / 2 >= self.window }

    mutating func flushed(at now: MonotonicTime) { self.flushedAt = now }

    /// Takes note of the outcome of a flush.
    ///
    /// - Returns: whether it differs from the previous one.
    mutating func ended(_ problem: String?) -> Bool {
        defer { self.problem = problem }
        return problem != self.problem
    }
}
