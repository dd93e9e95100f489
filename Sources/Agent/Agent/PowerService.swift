// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import Logging
import Store

/// Switches the machine off after its vehicle was parked for long: `[power] shutdown_after_parked_seconds`.
struct PowerService: Service {
    /// The time between two checks.
    private static let interval = Duration.seconds(5)

    let after: Duration
    let reporter: Reporter
    let executor: CommandExecutor
    let store: Store
    let powerOff: @Sendable () async throws -> Void
    let clock: any MonotonicClock
    let logger: Logger

    func run(until stop: StopRequest) async {
        await stop.cancelling { await self.watch() }
    }

    private func watch() async {
        var plan = PowerPlan(after: self.after)
        while (try? await self.clock.sleep(until: self.clock.now + Self.interval)) != nil {
            let action = plan.conditionsChecked(
                isParked: await self.reporter.isParked,
                isBusy: await self.executor.waiting > 0,
                waiting: await self.store.status.records,
                at: self.clock.now
            )
            switch action {
            case .wait: continue
            case .cancelShutdown: await self.reporter.cancelShutdown()
            case .announceShutdown:
                let minutes = (self.after.seconds / 6).rounded() / 10
                await self.reporter.announceShutdown(because: "the vehicle has been parked for \(minutes) min")
            case .powerOff:
                self.logger.notice("The vehicle is parked, so the machine is being switched off")
                do {
                    try await self.powerOff()
                } catch {
                    self.logger.error(
                        """
                        The machine was not switched off: \(error). \
                        Try: obd-agent check; see docs/tasks/switch-off-machine.md
                        """
                    )
                    plan.powerOffFailed()
                    await self.reporter.cancelShutdown()
                }
            }
        }
    }
}
