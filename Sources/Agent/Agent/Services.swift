// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import EventLoop
import ServiceLifecycle
import Session
import Uplink

/// Stops last: it says goodbye to the broker when everything else has said its last.
struct UplinkService: ServiceLifecycle.Service {
    let uplink: Uplink

    func run() async throws {
        await cancelWhenGracefulShutdown { await self.uplink.run() }
        await self.uplink.finish()
    }
}

/// Takes commands until the session that they need is to end.
struct CommandService: ServiceLifecycle.Service {
    let executor: CommandExecutor
    let uplink: Uplink

    func run() async throws {
        await cancelWhenGracefulShutdown { await self.executor.run(self.uplink.commands) }
    }
}

/// Stops first: what it has read by then is still reported.
struct SessionService: ServiceLifecycle.Service {
    /// How often the status is told although nothing has changed.
    private static let statusInterval = Duration.seconds(60)
    /// After how many of those the code is let go that is not needed any more.
    private static let trimInterval = 60
    /// After how long what only the start needs has been done, the adapter's trials among it.
    private static let startTime = Duration.seconds(40)

    let session: Session
    let reporter: Reporter
    let commands: CommandExecutor
    let events: AsyncStream<SessionEvent>
    let finishEvents: @Sendable () -> Void
    let clock: SystemClock
    let executor: any TaskExecutor
    /// Of the task that reports.
    let pulse: Pulse

    func run() async throws {
        await withTaskGroup { group in
            // On the thread that reads: nobody else has to be woken for what was read.
            group.addTask(executorPreference: self.executor) { await self.report() }
            await cancelWhenGracefulShutdown {
                await withTaskGroup { group in
                    group.addTask(executorPreference: self.executor) { await self.session.run() }
                    group.addTask { await self.tellStatus() }
                }
            }
            self.finishEvents()
        }
    }

    private func report() async {
        await self.reporter.started()
        var wait = self.pulse.waits(until: Pulse.never)
        for await event in self.events {
            self.pulse.ended(wait, at: self.clock.now)
            await self.reporter.handle(event)
            switch event {
            // A command may be waiting for the identification of the vehicle, or for the end of the attempt.
            case .link, .identified, .unexpected: await self.commands.vehicleChanged()
            default: break
            }
            wait = self.pulse.waits(until: Pulse.never)
        }
    }

    private func tellStatus() async {
        try? await self.clock.sleep(until: self.clock.now + Self.startTime)
        var round = 0
        while !Task.isCancelled {
            if round.isMultiple(of: Self.trimInterval) { WorkingSet.trim() }
            round += 1
            try? await self.clock.sleep(until: self.clock.now + Self.statusInterval)
            await self.reporter.reportStatusAgain()
        }
    }
}
