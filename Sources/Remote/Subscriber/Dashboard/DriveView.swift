// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The drive of a vehicle for the dashboard: the trip, the exceeded limits and the position.
struct DriveView: Hashable, Sendable {
    /// The present trip, or the last one.
    private(set) var trip: TripSummary?
    private(set) var exceededLimits: [LimitState] = []
    /// The limits that are not exceeded, or of which that is not known.
    private(set) var otherLimits: [LimitState] = []
    private(set) var position: PositionSummary?

    /// Takes the payload of a topic, and returns whether the topic is one of the drive.
    ///
    /// An emptied topic removes what it had.
    mutating func receive(_ path: String, _ payload: [UInt8]) -> Bool {
        switch path {
        case "trip": self.trip = TripSummary(JSON(payload: payload))
        case "limits":
            let limits = LimitState.list(JSON(payload: payload))
            self.exceededLimits = limits.filter { $0.isExceeded == true }
            self.otherLimits = limits.filter { $0.isExceeded != true }
        case "position": self.position = PositionSummary(JSON(payload: payload))
        default: return false
        }
        return true
    }
}
