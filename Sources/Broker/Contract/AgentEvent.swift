// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The body of a record of `events`.
package struct AgentEvent: Encodable, Hashable, Sendable {
    package var event: Kind
    package var code: String?
    /// The code's meaning or, if that is unknown, where to look it up.
    package var description: String?
    package var ecu: String?
    package var states: [CodesReport.State]?
    /// The vehicle identification number that was read.
    package var vin: String?
    /// For `vehicle_changed`: the topic level of the previous vehicle.
    package var previous: String?
    /// For `wrong_vehicle`: the topic level that the unexpected vehicle would have.
    package var vehicle: String?
    /// For `records_dropped`: the stream, the epoch, and the first and last missing number.
    package var stream: String?
    package var ofEpoch: UInt64?
    package var from: UInt64?
    package var to: UInt64?
    /// For `started`: the newest earlier epoch whose records can come again; nil if there is none.
    package var previousEpoch: UInt64?
    /// For `before_clear`: the id of the clearing command.
    ///
    /// The event also has the issuer, the codes and the readiness that the command erases, read just before.
    package var commandID: String?
    /// The signer of that command; nil if the command is unsigned.
    package var issuer: String?
    package var codes: CodesReport?
    package var monitors: MonitorsReport?
    /// For `before_clear`: whether the command overrides the check that the engine stands still.
    package var engineOverride: Bool?
    /// For `before_clear`: the engine speed; null if it is unknown.
    package var engineSpeed: JSON?
    package var finding: Finding?
    /// For `battery_low`: the voltage, in V.
    package var voltage: Double?
    /// For `charging_started` and `charging_stopped`: the state of charge in %, if it is known.
    package var stateOfCharge: Double?
    /// For `charging_stopped`: the charged energy in kWh, if a parameter has the role `charged_energy`.
    package var energy: Double?
    /// For `charging_stopped`: the duration of the charge in seconds.
    package var duration: Double?
    /// For `raw_request`: the request and its replies.
    package var exchange: JSON?
    package var capture: CaptureReport?
    /// For `trip`: the trip; the event's time is its end.
    package var trip: TripReport?
    /// For `limit_exceeded` and `limit_cleared`.
    package var limit: LimitEvent?
    /// For `upgrade_rolled_back`: the version that runs again, and the one that failed.
    package var version: String?
    package var failedVersion: String?
    /// A sentence for people.
    package var reason: String?

    private enum CodingKeys: String, CodingKey {
        case event, code, description, ecu, states, vin, previous, vehicle, stream, from, to, codes, monitors, finding,
            exchange, reason, limit, capture, trip, issuer, voltage, energy, duration, version
        case stateOfCharge = "state_of_charge"
        case ofEpoch = "of_epoch"
        case previousEpoch = "previous_epoch"
        case commandID = "command_id"
        case engineOverride = "engine_override"
        case engineSpeed = "engine_speed"
        case failedVersion = "failed_version"
    }

    package enum Kind: String, CaseIterable, Encodable, Hashable, Sendable {
        case started
        case connected, disconnected
        /// The computer that the agent runs on is about to be switched off.
        case shuttingDown = "shutting_down"
        /// The vehicle is parked: the agent keeps off its bus from now on.
        case parked
        /// The parked vehicle's battery has fallen below the configured limit.
        case batteryLow = "battery_low"
        case chargingStarted = "charging_started"
        case chargingStopped = "charging_stopped"
        case vehicleIdentified = "vehicle_identified"
        /// The identified vehicle is another one than before.
        case vehicleChanged = "vehicle_changed"
        /// The connected vehicle is not an expected one: the agent keeps off its bus.
        case wrongVehicle = "wrong_vehicle"
        /// The code was present at the first reading, so the time of its appearance is unknown.
        case codeFound = "code_found"
        case codeAppeared = "code_appeared"
        case codeGone = "code_gone"
        case milOn = "mil_on"
        case milOff = "mil_off"
        /// The codes and readiness that a command is about to erase.
        case beforeClear = "before_clear"
        /// A specialist has published a finding about the vehicle.
        case findingRecorded = "finding_recorded"
        /// The agent has sent a `raw_request` command's bytes to the vehicle.
        case rawRequest = "raw_request"
        /// Everything that was read around the moment at which something happened.
        case capture
        /// The vehicle has made a trip.
        case trip
        /// The values exceed a configured limit, for the configured time.
        case limitExceeded = "limit_exceeded"
        /// The values no longer exceed it.
        case limitCleared = "limit_cleared"
        case recordsDropped = "records_dropped"
        /// A new version of the agent did not do what the version before did, which runs again.
        case upgradeRolledBack = "upgrade_rolled_back"

        /// Whether the event is about trouble codes or the malfunction indicator lamp.
        package var isAboutCodes: Bool {
            switch self {
            case .codeFound, .codeAppeared, .codeGone, .milOn, .milOff, .beforeClear: true
            case .started, .connected, .disconnected, .shuttingDown, .parked, .batteryLow, .chargingStarted,
                .chargingStopped, .vehicleIdentified, .vehicleChanged, .wrongVehicle, .findingRecorded, .rawRequest,
                .capture, .trip, .limitExceeded, .limitCleared, .recordsDropped, .upgradeRolledBack:
                false
            }
        }

        /// Whether the record is dropped last when space runs out, and persisted before it is published.
        package var isCritical: Bool {
            self.isAboutCodes || self == .findingRecorded || self == .rawRequest || self == .capture || self == .trip
        }
    }

    package init(_ event: Kind) {
        self.event = event
    }
}
