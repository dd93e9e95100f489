// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// The lasting selection, and the temporary one that may replace it for a while.
struct SelectionState: Sendable {
    /// The selection that is polled without a temporary one.
    private(set) var lasting: Selection
    /// The selection that is polled now.
    private(set) var current: Selection

    init(_ selection: Selection) {
        self.lasting = selection
        self.current = selection
    }

    /// Replaces the current selection.
    ///
    /// - Parameter duration: the time after which the lasting selection returns; nil makes the new one last.
    mutating func select(
        _ intervals: [ParameterKey: Duration],
        deadBands: [String: Double],
        for duration: Duration?,
        at now: MonotonicTime
    ) {
        self.current = Selection(
            version: max(self.current.version, self.lasting.version) + 1,
            intervals: intervals,
            deadBands: deadBands,
            expiry: duration.map { now + $0 }
        )
        if duration == nil { self.lasting = self.current }
    }

    /// Replaces both selections by that of another vehicle.
    mutating func adopt(_ selection: Selection) { self = SelectionState(selection) }

    /// Ends a temporary selection whose time has come.
    ///
    /// - Returns: whether the lasting selection has returned.
    mutating func expire(at now: MonotonicTime) -> Bool {
        guard let expiry = self.current.expiry, expiry <= now else { return false }
        let version = self.current.version + 1
        self.current = self.lasting
        self.current.version = version
        return true
    }
}
