// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// A time without readings in a trip, after which it is not known yet whether the trip goes on.
struct TripDoubt: Sendable {
    /// The end of a doubt.
    enum Verdict: Hashable, Sendable {
        /// The trip goes on; with the length of the gap if that was not known before.
        case same(Duration?)
        /// The trip was over, and another one has begun.
        case another
    }

    /// The longest time to wait for the run time of the engine.
    private static let timeout = Duration.seconds(90)
    /// The largest error of the run time.
    private static let tolerance = Duration.seconds(15)

    /// The trip as it was before the gap.
    var before: OpenTrip
    /// Whether the length of the gap was not known when it ended.
    private let isUnmeasured: Bool
    /// The time of the first reading after the gap.
    let since: MonotonicTime
    /// The trip that has begun after the gap, if it is another one.
    var fresh: OpenTrip?

    init(before: OpenTrip, since: MonotonicTime) {
        self.before = before
        self.since = since
        self.isUnmeasured = before.boot != nil
    }

    /// Returns whether the trip goes on; nil while that is not known.
    ///
    /// - Parameter engineStart: the start of the engine by its run time; nil if the run time was not read.
    func verdict(engineStart: MonotonicTime?, at now: MonotonicTime) -> Verdict? {
        if let engineStart { return self.verdict(engineStart: engineStart) }
        return now - self.since >= Self.timeout ? self.lastVerdict : nil
    }

    /// The verdict if the run time of the engine will not be known.
    var lastVerdict: Verdict {
        // Nothing tells how long the machine was off.
        guard self.before.boot == nil else { return .another }
        return self.verdict(gap: self.since - self.before.lastSeen)
    }

    private func verdict(engineStart: MonotonicTime) -> Verdict {
        guard self.before.boot != nil else {
            return engineStart > self.before.lastSeen + Self.tolerance ? .another : self.lastVerdict
        }
        // The engine's own clock measures the time for which the machine was off.
        guard let runTime = self.before.runTime else { return .another }
        let shift = engineStart - runTime.start
        let gap = self.since - (self.before.lastSeen + shift)
        return gap >= .zero - Self.tolerance ? self.verdict(gap: max(.zero, gap)) : .another
    }

    private func verdict(gap: Duration) -> Verdict {
        guard gap <= TripRecorder.longestGap else { return .another }
        return .same(self.isUnmeasured ? gap : nil)
    }
}

extension OpenTrip {
    /// Returns the trip with its times on the clock of the present boot, if both boots have certain dates.
    func moved(to boot: MachineBoot) -> OpenTrip {
        guard let own = self.boot, own.isSynchronised, boot.isSynchronised else { return self }
        var trip = self
        trip.shift(by: own.start - boot.start)
        trip.boot = nil
        return trip
    }
}
