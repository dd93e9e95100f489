// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The lasting selection, and the temporary one that may replace it for a while.
package struct SelectionState: Hashable, Sendable {
    /// The selection that is polled without a temporary one.
    package private(set) var lasting: Selection
    /// The selection that is polled now.
    package private(set) var current: Selection
    /// The parameters that are polled faster for a while, besides ``current``; its version and dead bands are not used.
    private var hastened: Selection?

    /// - Parameters:
    ///   - lasting: the lasting selection.
    ///   - temporary: the selection that is polled instead of it; nil if there is none.
    package init(_ lasting: Selection, temporary: Selection? = nil) {
        self.lasting = lasting
        self.current = temporary ?? lasting
    }

    /// Replaces the current selection, and numbers it.
    ///
    /// - Parameters:
    ///   - selection: the intervals and dead bands; its version and expiry are not used.
    ///   - duration: the time after which the lasting selection returns; nil makes the new one last.
    package mutating func select(_ selection: Selection, for duration: Duration?, at now: MonotonicTime) {
        self.current = Selection(
            version: max(self.current.version, self.lasting.version) + 1,
            intervals: selection.intervals,
            deadBands: selection.deadBands,
            expiry: duration.map { now + $0 }
        )
        if duration == nil { self.lasting = self.current }
    }

    /// Polls parameters faster for a while, selected or not; neither selection changes.
    package mutating func hasten(
        _ keys: [ParameterKey],
        every interval: Duration,
        for duration: Duration,
        at now: MonotonicTime
    ) {
        let intervals = Dictionary(keys.map { ($0, interval) }) { first, _ in first }
        self.hastened = Selection(intervals: intervals, expiry: now + duration)
    }

    /// Ends the time of parameters that are polled faster, if it has come.
    ///
    /// - Returns: whether it has ended.
    package mutating func endHaste(at now: MonotonicTime) -> Bool {
        guard let expiry = self.hastened?.expiry, expiry <= now else { return false }
        self.hastened = nil
        return true
    }

    /// The parameters to poll: those of ``current``, and those that are polled faster for a while.
    package var polled: Selection {
        guard let hastened = self.hastened else { return self.current }
        var polled = self.current
        polled.intervals.merge(hastened.intervals) { min($0, $1) }
        return polled
    }

    /// The time at which something ends by itself; nil if nothing does.
    package var expiry: MonotonicTime? {
        [self.current.expiry, self.hastened?.expiry].compactMap { $0 }.min()
    }

    /// Ends a temporary selection whose time has come.
    ///
    /// - Returns: whether the lasting selection has returned.
    package mutating func expire(at now: MonotonicTime) -> Bool {
        guard let expiry = self.current.expiry, expiry <= now else { return false }
        let version = self.current.version + 1
        self.current = self.lasting
        self.current.version = version
        return true
    }
}
