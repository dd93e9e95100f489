// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The body of a record of `events`.
package struct AgentEvent: Encodable, Hashable, Sendable {
    package var event: Kind
    package var code: String?
    /// What the code means, or who would know it.
    package var description: String?
    package var ecu: String?
    package var states: [CodesReport.State]?
    /// The vehicle identification number that was read.
    package var vin: String?
    /// For `vehicle_changed`: the topic level of the vehicle before.
    package var previous: String?
    /// For `wrong_vehicle`: the topic level that it would have.
    package var vehicle: String?
    /// For `records_dropped`: the stream, the epoch, and the first and last number that are missing.
    package var stream: String?
    package var ofEpoch: UInt64?
    package var from: UInt64?
    package var to: UInt64?
    /// For `before_clear`: the command that is to clear, and all that it erases, as it was read just before.
    package var commandID: String?
    /// Who has signed that command; nil where nobody has.
    package var issuer: String?
    package var codes: CodesReport?
    package var monitors: MonitorsReport?
    /// For `before_clear`: whether it is done though the engine may run, and its speed, null where nobody knows it.
    package var engineOverride: Bool?
    package var engineSpeed: JSON?
    package var finding: Finding?
    /// For `battery_low`: V.
    package var voltage: Double?
    /// For `raw_request`: what was asked, and what became of it.
    package var exchange: JSON?
    /// A sentence for people.
    package var reason: String?

    private enum CodingKeys: String, CodingKey {
        case event, code, description, ecu, states, vin, previous, vehicle, stream, from, to, codes, monitors, finding,
            exchange, reason,
            issuer, voltage
        case ofEpoch = "of_epoch"
        case commandID = "command_id"
        case engineOverride = "engine_override"
        case engineSpeed = "engine_speed"
    }

    package enum Kind: String, CaseIterable, Encodable, Hashable, Sendable {
        case started
        case connected, disconnected
        /// The machine is about to be switched off.
        case shuttingDown = "shutting_down"
        /// The vehicle is parked: its bus is left alone from now on.
        case parked
        /// The parked vehicle's battery has fallen below the configured limit.
        case batteryLow = "battery_low"
        case vehicleIdentified = "vehicle_identified"
        /// It is another vehicle than the last time.
        case vehicleChanged = "vehicle_changed"
        /// It is none of those that are expected, and is left alone.
        case wrongVehicle = "wrong_vehicle"
        /// It was there when the codes were read for the first time; nobody knows since when.
        case codeFound = "code_found"
        case codeAppeared = "code_appeared"
        case codeGone = "code_gone"
        case milOn = "mil_on"
        case milOff = "mil_off"
        /// The evidence that a clear erases.
        case beforeClear = "before_clear"
        /// A specialist has told what is the matter.
        case findingRecorded = "finding_recorded"
        /// Bytes were asked as somebody had sent them.
        case rawRequest = "raw_request"
        case recordsDropped = "records_dropped"

        /// Whether it tells of codes, or of the lamp.
        package var isAboutCodes: Bool {
            switch self {
            case .codeFound, .codeAppeared, .codeGone, .milOn, .milOff, .beforeClear: true
            case .started, .connected, .disconnected, .shuttingDown, .parked, .batteryLow, .vehicleIdentified,
                .vehicleChanged,
                .wrongVehicle, .findingRecorded, .rawRequest, .recordsDropped:
                false
            }
        }

        /// Whether it is kept before all others, and on the disk before anybody is told of it.
        package var isPrecious: Bool { self.isAboutCodes || self == .findingRecorded || self == .rawRequest }
    }

    package init(_ event: Kind) {
        self.event = event
    }
}
