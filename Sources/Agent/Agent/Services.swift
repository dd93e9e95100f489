// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import EventLoop
import Session
import Uplink

/// Runs the uplink.
///
/// The uplink stops last, so that it publishes the records that the other parts write at their end.
struct UplinkService: Service {
    let uplink: Uplink

    func run(until stop: StopRequest) async {
        await stop.cancelling { await self.uplink.run() }
        await self.uplink.finish()
    }
}

/// Runs commands until the agent stops.
///
/// Commands need the session, so they stop after it.
struct CommandService: Service {
    let executor: CommandExecutor
    let uplink: Uplink

    func run(until stop: StopRequest) async {
        await stop.cancelling { await self.executor.run(self.uplink.commands) }
    }
}

/// Runs the session and reports its events.
///
/// The session stops first, and the events up to its end are still reported.
struct SessionService: Service {
    /// The time between two publications of an unchanged status.
    private static let statusInterval = Duration.seconds(60)
    /// The times at which the memory of the start is released: of the configuration, of the first connection, and of the
    /// probe of the adapter's capabilities.
    private static let trimTimes: [Duration] = [.milliseconds(700), .seconds(3), .seconds(10), .seconds(40)]
    /// The time that the answer to the last request may take at the stop.
    private static let restTime = Duration.milliseconds(500)

    let session: Session
    let reporter: Reporter
    let commands: CommandExecutor
    let detector: SetDetector?
    let events: AsyncStream<SessionEvent>
    /// Ends the stream of events, once the session has ended.
    let finishEvents: @Sendable () -> Void
    let clock: SystemClock
    let executor: any TaskExecutor
    /// The pulse of the task that reports.
    let pulse: Pulse
    /// Tells of an upgrade that was rolled back; nil if none is looked for.
    let rollback: RollbackReport?

    func run(until stop: StopRequest) async {
        await withTaskGroup { group in
            // On the session's thread, so that a reading wakes no other thread.
            group.addTask(executorPreference: self.executor) { await self.report() }
            await stop.cancelling(after: { await self.session.rest(atMost: Self.restTime) }) {
                await withTaskGroup { group in
                    group.addTask(executorPreference: self.executor) { await self.session.run() }
                    group.addTask { await self.publishStatus() }
                }
            }
            self.finishEvents()
        }
    }

    private func report() async {
        await self.reporter.start()
        var wait = self.pulse.beginWait(until: Pulse.never)
        for await event in self.events {
            self.pulse.endWait(wait, at: self.clock.now)
            await self.reporter.handle(event)
            switch event {
            // A command may be waiting for the identification of the vehicle, or for the end of the attempt.
            case .link, .identified, .unexpected: await self.commands.vehicleChanged()
            default: break
            }
            switch event {
            case .identified, .parking: await self.detector?.vehicleChanged()
            default: break
            }
            wait = self.pulse.beginWait(until: Pulse.never)
        }
        await self.reporter.finish()
    }

    private func publishStatus() async {
        let start = self.clock.now
        for time in Self.trimTimes {
            try? await self.clock.sleep(until: start + time)
            if Task.isCancelled { return }
            WorkingSet.trim()
        }
        while !Task.isCancelled {
            try? await self.clock.sleep(until: self.clock.now + Self.statusInterval)
            await self.reporter.reportStatusAgain()
            await self.rollback?.tellIfNew()
        }
    }
}
