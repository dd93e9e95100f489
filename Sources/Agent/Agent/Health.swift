// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import Contract
import EventLoop
import Session
import Store
import Uplink

/// What is seen of the agent's parts while they work, and how the agent is.
final class Health: Sendable {
    private struct Look {
        var status: AgentStatus?
        var vehicle = ""
        var isOnline = false
        var rivalry: String?
    }

    /// The session's; it tells that the session gets on.
    let sessionClock: WatchedClock
    /// Of the task that reports what the session says.
    let reporting: Pulse
    /// Of the task that looks at the files of the connection.
    let credentials: Pulse
    private let clock: any MonotonicClock
    private let look = Locked(Look())

    init(_ clock: any MonotonicClock) {
        self.clock = clock
        self.sessionClock = WatchedClock(clock: clock, pulse: Pulse(at: clock.now))
        (self.reporting, self.credentials) = (Pulse(at: clock.now), Pulse(at: clock.now))
    }

    /// The broker is told this.
    func tell(_ status: AgentStatus) {
        self.look.withLock { $0.status = status }
    }

    /// How the agent is.
    var sentence: String {
        let look = self.look.withLock { $0 }
        return StatusSentence.text(
            look.status,
            vehicle: look.vehicle,
            isOnline: look.isOnline,
            rivalry: look.rivalry
        )
    }

    /// What has to work: actors have to answer, and what runs for ever has to get on.
    func parts(
        store: Store,
        uplink: Uplink,
        executor: CommandExecutor,
        reporter: Reporter,
        session: Session,
        watchesFiles: Bool
    ) -> [HealthService.Part] {
        let (clock, pulses) = (self.clock, [self.sessionClock.pulse, self.reporting, self.credentials])
        @Sendable func isWell(_ pulse: Int, _ patience: Duration) -> Bool {
            !pulses[pulse].isStuck(at: clock.now, patience: patience)
        }
        return [
            .init(name: "store") { _ in
                _ = await store.status
                return true
            },
            .init(name: "uplink") { patience in
                let (ticked, vehicle, isOnline) = await (uplink.tickedAt, uplink.vehicle, uplink.isOnline)
                let rivalry = await uplink.rivalry
                self.look.withLock { ($0.vehicle, $0.isOnline, $0.rivalry) = (vehicle, isOnline, rivalry) }
                return clock.now <= ticked + patience
            },
            .init(name: "commands") { _ in
                _ = await executor.waiting
                return true
            },
            .init(name: "reporter") { patience in
                _ = await reporter.isConfirmed
                return isWell(1, patience)
            },
            .init(name: "session") { patience in
                _ = await session.unsupported
                return isWell(0, patience)
            },
        ]
            + (watchesFiles ? [.init(name: "credentials") { patience in isWell(2, patience) }] : [])
    }
}
