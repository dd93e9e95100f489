// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Drive

extension MachineBoot {
    /// Creates the present boot, with the date that a clock gives it now.
    init(_ id: String, _ clock: any CalendarClock) {
        self.init(id: id, start: clock.timestamp(of: .zero), isSynchronised: clock.quality == .synchronised)
    }
}
