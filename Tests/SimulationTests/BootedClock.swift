// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop

/// The clock of one boot, which begins at the start of the machine.
struct BootedClock: MonotonicClock {
    let time: VirtualTime
    /// The start of the machine, in virtual time.
    let start: MonotonicTime

    var now: MonotonicTime { MonotonicTime(sinceBoot: self.time.now - self.start) }

    func sleep(until deadline: MonotonicTime) async throws {
        try await self.time.sleep(until: self.start + deadline.sinceBoot)
    }
}

/// The date of the machine, which may differ from the true date.
struct WallClock: Sendable {
    /// The true date at the beginning of virtual time, in milliseconds since 1970: 2026-11-21, about noon.
    static let truth: Int64 = 1_795_262_400_000
    private static let fiftyYears: Int64 = 50 * 365 * 24 * 3600 * 1000
    /// The errors that tests give to the date, in milliseconds.
    static let errors = [0, Self.fiftyYears, -Self.fiftyYears]
    static let right = WallClock()
    static let ahead = WallClock(error: Self.fiftyYears, isSynchronised: false)
    static let behind = WallClock(error: -Self.fiftyYears, isSynchronised: false)

    /// The error of the machine's date, in milliseconds.
    var error: Int64 = 0
    /// Whether the kernel reports a synchronized clock.
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
