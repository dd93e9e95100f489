// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import Contract
import EventLoop
import Session
import Store
import Uplink

/// The watchdog's view of the agent's parts, and the sentence about the agent for systemd.
final class Health: Sendable {
    private struct Snapshot {
        var status: AgentStatus?
        var vehicle = ""
        var isOnline = false
        var hasBroker = true
        var rivalry: String?
    }

    /// The session's clock, whose pulse shows that the session makes progress.
    let sessionClock: WatchedClock
    /// The pulse of the task that reports the session's events.
    let reporting: Pulse
    /// The clock of the task that reads positions.
    let positionClock: WatchedClock
    /// The pulse of the task that checks the files of the connection.
    let credentials: Pulse
    private let clock: any MonotonicClock
    private let snapshot = Locked(Snapshot())

    init(_ clock: any MonotonicClock) {
        self.clock = clock
        self.sessionClock = WatchedClock(clock: clock, pulse: Pulse(at: clock.now))
        self.positionClock = WatchedClock(clock: clock, pulse: Pulse(at: clock.now))
        (self.reporting, self.credentials) = (Pulse(at: clock.now), Pulse(at: clock.now))
    }

    /// The reporter has published a status.
    func statusReported(_ status: AgentStatus) {
        self.snapshot.withLock { $0.status = status }
    }

    /// The status that was published last, and whether the broker has accepted the connection.
    var parts: (status: AgentStatus?, isOnline: Bool) { self.snapshot.withLock { ($0.status, $0.isOnline) } }

    /// The state of the agent, in a sentence.
    var sentence: String {
        let snapshot = self.snapshot.withLock { $0 }
        return StatusSentence.text(
            snapshot.status,
            vehicle: snapshot.vehicle,
            isOnline: snapshot.isOnline,
            hasBroker: snapshot.hasBroker,
            rivalry: snapshot.rivalry
        )
    }

    /// Returns the parts to watch: each actor has to reply, and each endless task has to make progress.
    func parts(
        store: Store,
        uplink: Uplink,
        executor: CommandExecutor,
        reporter: Reporter,
        session: Session,
        vehicle: ConnectedVehicle,
        watchesFiles: Bool,
        readsPositions: Bool
    ) -> [HealthService.Part] {
        let clock = self.clock
        let (sessionPulse, reporting, credentials) = (self.sessionClock.pulse, self.reporting, self.credentials)
        let positions = self.positionClock.pulse
        return [
            .init(name: "store") { _ in
                _ = await store.status
                return true
            },
            .init(name: "uplink") { timeout in
                let (ticked, isOnline, rivalry) = await (uplink.tickedAt, uplink.isOnline, uplink.rivalry)
                self.snapshot.withLock {
                    ($0.vehicle, $0.isOnline, $0.rivalry) = (vehicle.name, isOnline, rivalry)
                    $0.hasBroker = uplink.hasBroker
                }
                return clock.now <= ticked + timeout
            },
            .init(name: "commands") { _ in
                _ = await executor.waiting
                return true
            },
            .init(name: "reporter") { timeout in
                _ = await reporter.isParked
                return !reporting.isStuck(at: clock.now, timeout: timeout)
            },
            .init(name: "session") { timeout in
                _ = await session.unsupported
                return !sessionPulse.isStuck(at: clock.now, timeout: timeout)
            },
        ]
            + (watchesFiles
                ? [.init(name: "credentials") { !credentials.isStuck(at: clock.now, timeout: $0) }]
                : [])
            + (readsPositions
                ? [.init(name: "positions") { !positions.isStuck(at: clock.now, timeout: $0) }]
                : [])
    }
}
