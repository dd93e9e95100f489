// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Drive
import OBD2
import Store
import Uplink

/// An action that ``DriveWatch`` asks of the reporter.
enum DriveAction: Sendable {
    /// Records an event.
    case record(AgentEvent)
    /// Publishes a retained payload.
    case update(TopicPath, LivePayload)
    /// Publishes the trip; with other totals once the disk has the state from which these are.
    case showTrip(TripState, stored: TripTotals?)
    /// Publishes and records values that no ECU has reported.
    case ingest([Uplink.Sample])
    /// Records points of the vehicle's track.
    case track([TrackBatcher.Point])
    /// Keeps an event that is still being made, for the case that the agent ends before it is complete.
    case keep(AgentEvent, at: MonotonicTime)
    /// Records an event in place of the one that was kept.
    case complete(AgentEvent, at: MonotonicTime)
    /// Polls parameters faster for a time.
    case hasten([ParameterKey], every: Duration, for: Duration)
    /// Keeps the numbers of captures on a day.
    case rememberCaptures(DayCaptures)
    /// Logs that a rule has fired and begins no capture, because that of another rule runs.
    case noteSkippedCapture(rule: String, running: String)
    /// Logs that the vehicle does not have these values, which a table of the configuration needs.
    case noteLackedValues([String], of: String)
    /// Keeps a state of the vehicle.
    case remember(StoredState)
    /// Records an event together with the state of the vehicle after it.
    case recordChange(AgentEvent, at: MonotonicTime? = nil, in: StoredRecord.Birth.Boot? = nil, to: StoredState)
}
