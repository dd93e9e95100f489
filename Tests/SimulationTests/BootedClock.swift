// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop

/// The clock of one boot: it began when the machine was started.
struct BootedClock: MonotonicClock {
    let time: VirtualTime
    /// When the machine was started.
    let start: MonotonicTime

    var now: MonotonicTime { MonotonicTime(sinceBoot: self.time.now - self.start) }

    func sleep(until deadline: MonotonicTime) async throws {
        try await self.time.sleep(until: self.start + deadline.sinceBoot)
    }
}

/// The machine's clock for the date: what a Pi believes, beside what is true.
struct WallClock: Sendable {
    /// The true date at the beginning of virtual time, in milliseconds since 1970: 2026-11-21, about noon.
    static let truth: Int64 = 1_795_262_400_000
    private static let fiftyYears: Int64 = 50 * 365 * 24 * 3600 * 1000
    /// All that may be wrong with it.
    static let errors = [0, Self.fiftyYears, -Self.fiftyYears]
    static let right = WallClock()
    static let ahead = WallClock(error: Self.fiftyYears, isSynchronised: false)
    static let behind = WallClock(error: -Self.fiftyYears, isSynchronised: false)

    /// How wrong the machine's date is, in milliseconds.
    var error: Int64 = 0
    /// Whether the kernel says that the date is right.
    var isSynchronised = true

    /// The true date.
    static func date(at time: MonotonicTime) -> Int64 { Self.truth + time.sinceBoot.milliseconds }

    func kernel(at time: MonotonicTime) -> KernelClock {
        KernelClock(
            millisecondsSince1970: Self.date(at: time) + self.error,
            isSynchronised: self.isSynchronised
        )
    }
}
