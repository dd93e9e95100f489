// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327

extension Capability {
    /// Whether polling is faster with the capability.
    var makesPollingFaster: Bool { self == .responseCount || self == .multiplePIDs }
}

extension AdapterReport {
    /// Whether a trial that may make polling faster was not made.
    var lacksVerdictThatPays: Bool {
        Capability.allCases.contains { $0.makesPollingFaster && self.assessments[$0] == nil }
    }
}

/// The times of the adapter's trials beside the polls.
package struct TrialSchedule: Sendable {
    /// The time from the first poll to the first trial that does not make polling faster.
    ///
    /// Some of these take seconds.
    private static let delay = Duration.seconds(60)

    /// Whether trials are still to be made.
    package var isPending = false
    /// Whether the next trial may make polling faster.
    package var pays = false
    /// Whether such a trial comes before the next poll.
    private var isTurn = false
    /// The earliest time of the other trials.
    private var opening = MonotonicTime.zero

    /// Notes the first poll.
    mutating func pollingBegan(at now: MonotonicTime) { self.opening = now + Self.delay }

    /// Takes the turn of a trial that makes polling faster: after each poll, or while none is due.
    ///
    /// - Returns: whether the trial comes now.
    mutating func takeTurn(isBusy: Bool) -> Bool {
        self.isTurn.toggle()
        return !isBusy || self.isTurn
    }

    /// Whether another trial may begin.
    func isOpen(at now: MonotonicTime) -> Bool { now >= self.opening }
}
