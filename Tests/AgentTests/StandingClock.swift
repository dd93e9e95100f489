// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// A clock that stands at the boot of the machine, which was at the beginning of 1970.
struct StandingClock: CalendarClock {
    var quality = ClockQuality.synchronised
    var now: MonotonicTime { .zero }

    /// Ends at once: nothing that these tests call waits for a time.
    func sleep(until deadline: MonotonicTime) async throws {}
    func timestamp(of time: MonotonicTime) -> Timestamp { Timestamp(milliseconds: 0) + time.sinceBoot }
}
