// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Drive

extension PositionReport {
    /// Creates the payload of a position.
    init(_ position: PositionWatch.Position, _ clock: any CalendarClock) {
        let quality: Quality =
            switch position.quality {
            case .good: .good
            case .stale: .stale
            case .jumping: .jumping
            case .withheld: .withheld
            }
        self.init(
            time: clock.timestamp(of: position.time),
            clock: clock.quality,
            quality: quality,
            measuredAt: position.time,
            staleAt: position.time + FixFilter.staleAge
        )
        self.zone = position.zone
        guard let fix = position.fix else { return }
        self.latitude = (fix.coordinate.latitude * 100_000).rounded() / 100_000
        self.longitude = (fix.coordinate.longitude * 100_000).rounded() / 100_000
        self.accuracy = fix.accuracy.map { $0.rounded(.up) }
        self.altitude = fix.altitude?.rounded()
        // A position of the past tells nothing about the movement now.
        guard quality == .good else { return }
        self.speed = fix.speed.map { ($0 * 36).rounded() / 10 }
        self.heading = fix.heading.map { $0.rounded().truncatingRemainder(dividingBy: 360) }
    }
}
