// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Drive
import EventLoop
import Logging

/// Compares the machine's clock with the time of the satellites: `[clock] trust = "gps"`.
struct ReceiverTime: Sendable {
    private enum State: Hashable {
        case unknown, wrongWeek, agrees, differs
    }

    private let clock: SystemClock
    private let logger: Logger
    private var receiver = ReceiverClock()
    private var state = State.unknown

    init(_ clock: SystemClock, logger: Logger) {
        self.clock = clock
        self.logger = logger
    }

    /// Takes over a fix, and trusts the machine's clock if it shows the same time.
    mutating func received(_ fix: Fix) {
        switch self.receiver.received(fix) {
        case .unknown: break
        case .wrongWeek:
            guard self.turn(to: .wrongWeek) else { return }
            self.logger.warning(
                "The receiver's date is in a wrong week, so its time is not used. Try: newer firmware of the receiver"
            )
        case .right(let date):
            let tolerance = ReceiverClock.tolerance
            let difference = self.clock.compare(date, at: fix.time, tolerance: tolerance)
            if difference >= .zero - tolerance, difference <= tolerance {
                guard self.turn(to: .agrees) else { return }
                self.logger.notice("The machine's clock agrees with the satellites, so it is trusted")
            } else {
                guard self.turn(to: .differs) else { return }
                self.logger.warning(
                    """
                    The machine's clock differs from the time of the satellites, so it is not trusted. \
                    Try: let chrony set it from gpsd, see docs/tasks/trust-the-clock.md
                    """,
                    metadata: ["difference": "\(difference.milliseconds) ms"]
                )
            }
        }
    }

    private mutating func turn(to state: State) -> Bool {
        defer { self.state = state }
        return self.state != state
    }
}
