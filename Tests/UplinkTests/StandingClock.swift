// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// A calendar clock that stands still, and never waits.
struct StandingClock: CalendarClock {
    let now = MonotonicTime.zero
    let quality = ClockQuality.synchronised

    func sleep(until deadline: MonotonicTime) async throws {}
    func timestamp(of time: MonotonicTime) -> Timestamp { Timestamp(milliseconds: 0) + time.sinceBoot }
}
