// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Parking
import Session

/// The events and the urgency of a change in whether the vehicle is in use.
struct ParkingChange: Sendable {
    /// The events to record, in order.
    let events: [AgentEvent]
    /// The change of the voltage, in volts, for which a status is published.
    ///
    /// While the starter turns, the voltage is that of a moment. What follows it must not wait for a minute.
    private static let voltageStep = 0.5

    /// Whether the status is published at once.
    ///
    /// A small change of the voltage alone waits for the next status.
    let changesStatus: Bool

    /// - Parameters:
    ///   - before: the report before this one; nil for the first one.
    ///   - shown: the voltage in the status that was published last; nil if it had none.
    init(from before: ParkingReport?, to report: ParkingReport, shown: Double?) {
        var events: [AgentEvent] = []
        // The loss of the adapter tells nothing about the vehicle.
        if before?.isParked == false, report.isParked, !report.hasLostAdapter { events.append(AgentEvent(.parked)) }
        if before?.isBatteryLow != true, report.isBatteryLow {
            var event = AgentEvent(.batteryLow)
            event.voltage = report.voltage.map(ContractMapping.hundredths)
            events.append(event)
        }
        self.events = events
        self.changesStatus =
            before?.ignition != report.ignition || before?.evidence != report.evidence
            || before?.isParked != report.isParked
            || before?.isBatteryLow != report.isBatteryLow
            || report.voltage.map { volts in shown.map { abs(volts - $0) >= Self.voltageStep } ?? true } ?? false
    }
}
