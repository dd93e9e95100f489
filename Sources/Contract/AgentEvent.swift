// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The body of a record of `events`.
package struct AgentEvent: Encodable, Hashable, Sendable {
    package var time: Timestamp
    package var clock: ClockQuality
    package var event: Kind
    package var code: String?
    package var ecu: String?
    package var states: [CodesReport.State]?
    /// The vehicle identification number that was read.
    package var vin: String?
    /// For `records_dropped`: the stream, and the first and last number that are missing.
    package var stream: String?
    package var from: UInt64?
    package var to: UInt64?
    /// A sentence for people.
    package var reason: String?

    package enum Kind: String, CaseIterable, Encodable, Hashable, Sendable {
        case started
        case connected, disconnected
        case vehicleIdentified = "vehicle_identified"
        case codeAppeared = "code_appeared"
        case codeGone = "code_gone"
        case milOn = "mil_on"
        case milOff = "mil_off"
        case recordsDropped = "records_dropped"
    }

    package init(_ event: Kind, time: Timestamp, clock: ClockQuality) {
        self.event = event
        self.time = time
        self.clock = clock
    }
}
