// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import Configuration
import Drive
import EventLoop
import Logging

/// Reads positions from gpsd, and connects again after every loss.
struct PositionService: Service {
    private static let connectTimeout = Duration.seconds(10)

    let gpsd: Configuration.Position.GPSD
    let reporter: Reporter
    /// The clock that the time of the satellites may confirm; nil if it may not.
    let confirmable: SystemClock?
    /// The clock whose pulse shows that the service makes progress.
    let clock: WatchedClock
    let executor: any TaskExecutor
    let logger: Logger

    func run(until stop: StopRequest) async {
        await stop.cancelling {
            // On the thread that waits for gpsd, so that a fix wakes no other thread.
            await withTaskExecutorPreference(self.executor) { await self.connectForever() }
        }
    }

    private func connectForever() async {
        let notices = PositionNotices(self.logger, at: self.clock.now)
        let outlets = self.outlets(notices)
        let open = WatchedLink.opener(
            { [gpsd] deadline throws(LinkError) in
                try await TCPLink.open(host: gpsd.host, port: gpsd.port, until: deadline)
            },
            self.clock
        )
        var backoff = Backoff(first: .seconds(2), limit: .seconds(60))
        while !Task.isCancelled {
            do {
                let link = try await open(self.clock.now + Self.connectTimeout)
                defer { link.close() }
                try await GPSDConversation(link: link, clock: self.clock, outlets: outlets).run()
            } catch {
                guard !Task.isCancelled else { return }
                if notices.lost(because: "\(error)", at: self.clock.now) { backoff.reset() }
            }
            await self.reporter.fixMissed()
            // A peer that closes each connection at once is not dialed without a pause.
            try? await self.clock.sleep(until: self.clock.now + .seconds(1) + backoff.next())
        }
    }

    private func outlets(_ notices: PositionNotices) -> GPSDConversation.Outlets {
        let time = self.confirmable.map { Locked(ReceiverTime($0, logger: self.logger)) }
        return GPSDConversation.Outlets(
            greeted: { [clock] in notices.connected(to: $0, at: clock.now) },
            fixReceived: { [reporter] fix in
                time?.withLock { $0.received(fix) }
                await reporter.fixReceived(fix)
            },
            fixMissed: { [reporter] in await reporter.fixMissed() },
            failed: { [clock] in notices.failed($0, at: clock.now) },
            refused: { [clock] in notices.refused(malformed: $0.malformed, excess: $0.excess, at: clock.now) }
        )
    }
}
