// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import Drive

/// A connection to gpsd, from the request to report until it is lost.
struct GPSDConversation {
    /// The time without a fix after which the position is no longer the present one, and is published as such.
    static let missedAfter = FixFilter.staleAge + .seconds(1)

    /// The receivers of what gpsd reports.
    struct Outlets: Sendable {
        /// gpsd has greeted, with its release.
        let greeted: @Sendable (String) -> Void
        let fixReceived: @Sendable (Fix) async -> Void
        /// No fix has come for ``missedAfter``.
        let fixMissed: @Sendable () async -> Void
        /// gpsd has reported an error.
        let failed: @Sendable (String) -> Void
        /// Lines were refused; the numbers are those of the connection.
        let refused: @Sendable (GPSDDialogue.Refusals) -> Void
    }

    let link: any AdapterLink
    let clock: any MonotonicClock
    let outlets: Outlets

    /// Asks for reports and reads them, until the task is cancelled.
    ///
    /// - Throws: `LinkError` and `GPSDFailure` when the connection is lost or useless.
    func run() async throws {
        try await self.link.write(GPSDDialogue.watchRequest)
        try await self.link.whileCancellable { try await self.read() }
    }

    private func read() async throws {
        var dialogue = GPSDDialogue(at: self.clock.now)
        var refused = 0
        var missedAt = self.clock.now + Self.missedAfter
        while !Task.isCancelled {
            switch try await self.link.read(until: min(dialogue.deadline, missedAt)) {
            case .bytes(let bytes):
                for report in try dialogue.received(bytes, at: self.clock.now) where await self.handle(report) {
                    missedAt = self.clock.now + Self.missedAfter
                }
            case .interrupted, .deadline: break
            }
            if dialogue.refusals.total > refused {
                refused = dialogue.refusals.total
                self.outlets.refused(dialogue.refusals)
            }
            let now = self.clock.now
            if now >= missedAt {
                missedAt = now + Self.missedAfter
                await self.outlets.fixMissed()
            }
            guard now >= dialogue.deadline else { continue }
            switch dialogue.deadlinePassed(at: now) {
            case .send(let bytes): try await self.link.write(bytes)
            case .close(let failure): throw failure
            }
        }
    }

    /// Handles a report.
    ///
    /// - Returns: whether it is a fix.
    private func handle(_ report: GPSDReport) async -> Bool {
        switch report {
        case .fix(let fix):
            await self.outlets.fixReceived(fix)
            return true
        case .version(let release): self.outlets.greeted(release)
        case .error(let message): self.outlets.failed(message)
        case .noFix, .other: break
        }
        return false
    }
}
