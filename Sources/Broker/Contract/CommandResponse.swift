// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The body of a record of `responses`.
package struct CommandResponse: Encodable, Hashable, Sendable {
    /// The command's id; null if it could not be read.
    package var id: String?
    package var command: String?
    package var state: State
    package var reason: Reason?
    /// The problem and its remedy, in a sentence.
    package var message: String?
    /// The seconds after which the command may be sent again under its id; nil if they are unknown.
    package var retryAfter: Int?
    /// The signer of the command; null for an unsigned command.
    package var issuer: String?
    /// The start of the command's validity; nil if it could not be read.
    package var issuedAt: Timestamp?
    /// The end of the command's validity; nil if it could not be read.
    package var expiresAt: Timestamp?
    /// The present step of a running command.
    package var progress: Progress?
    /// Whether this repeats the response to an earlier command with the same id.
    package var `repeat`: Bool
    package var result: JSON?

    /// Whether the response must survive a power cut.
    ///
    /// True for the state of a decoded command, `running` excepted. Progress, repeated responses and responses to
    /// malformed messages are not persisted, because a flood of them would wear out the disk.
    package var isDurable: Bool { self.issuedAt != nil && self.state != .running && !self.repeat }

    /// Whether anyone who may publish to the command topic can provoke this response.
    ///
    /// True for an unsigned command, for a message that is not a command, and for a repeated id, which may be a copy.
    package var isUntrusted: Bool { self.issuer == nil || self.issuedAt == nil || self.repeat }

    package enum State: String, CaseIterable, Encodable, Hashable, Sendable {
        case accepted, running, succeeded, failed, refused

        /// Whether no further response follows.
        package var isFinal: Bool { self != .accepted && self != .running }
    }

    /// The present step of a command with several steps.
    package struct Progress: Encodable, Hashable, Sendable {
        /// The number of the step, from 1 to ``steps``.
        package let step: Int
        package let steps: Int
        /// A phrase for people: the work of this step.
        package let doing: String

        package init(step: Int, steps: Int, doing: String) {
            self.step = step
            self.steps = steps
            self.doing = doing
        }
    }

    /// The reason why a command was refused or failed, or why its result is missing.
    package enum Reason: String, Encodable, CaseIterable, Hashable, Sendable {
        // The agent refuses the command without using the bus.
        case malformed
        /// The signature is not from a trusted key, or does not match the command.
        case badSignature = "bad_signature"
        /// The command needs a signature.
        case unsigned
        case roleInsufficient = "role_insufficient"
        /// Too many commands arrived: the agent did not read this one, and its id can be used again.
        case rateLimited = "rate_limited"
        case unknownCommand = "unknown_command"
        case badArguments = "bad_arguments"
        case retained
        case expired
        case issuedInFuture = "issued_in_future"
        case lifetimeTooLong = "lifetime_too_long"
        case clockUnknown = "clock_unknown"
        /// The command is older than the journal, so an earlier run of it cannot be excluded.
        case beforeJournal = "before_journal"
        case wrongVehicle = "wrong_vehicle"
        /// The vehicle could not be identified.
        case vehicleUnknown = "vehicle_unknown"
        case notAllowed = "not_allowed"
        /// The selection has changed since the version that the command names.
        case versionConflict = "version_conflict"
        /// The queue is full: the agent did not read this command, and its id can be used again.
        case busy
        /// Another capture runs, or a limit of captures, rules or waiting requests is reached.
        case noRoom = "no_room"
        case notConnected = "not_connected"
        /// The vehicle is parked, and the agent keeps off its bus.
        case parked
        case lowVoltage = "low_voltage"
        /// The parked vehicle's probe budget is used up.
        case noProbeLeft = "no_probe_left"
        /// The vehicle does not have the service.
        case notSupported = "not_supported"
        /// The service is forbidden, and no configuration can allow it.
        case serviceForbidden = "service_forbidden"
        // The agent refuses the command because of the vehicle's replies.
        case engineRunning = "engine_running"
        case vehicleMoving = "vehicle_moving"
        case engineSpeedUnknown = "engine_speed_unknown"
        /// The drive of an electric car or a hybrid is enabled, or may be.
        case driveEnabled = "drive_enabled"
        case driveUnknown = "drive_unknown"
        case vehicleSpeedUnknown = "vehicle_speed_unknown"
        case codesUnknown = "codes_unknown"
        case codesDiffer = "codes_differ"
        /// The codes have changed since the snapshot was taken.
        case codesChanged = "codes_changed"
        /// Some of the data that the clear would erase could not be read.
        case snapshotIncomplete = "snapshot_incomplete"
        /// The snapshot of the data that the clear would erase could not be persisted.
        case snapshotNotKept = "snapshot_not_kept"
        /// The command's journal entry or its content could not be persisted.
        case notKept = "not_kept"
        /// The records could not be read from the disk.
        case recordsUnreadable = "records_unreadable"
        // The command failed on the bus.
        case negativeResponse = "negative_response"
        case noAnswer = "no_answer"
        case codesRemain = "codes_remain"
        case linkLost = "link_lost"
        /// The process ended while the command ran.
        case interrupted
        /// The command succeeded, but there is no room for its result: the same id brings it later.
        case resultLeftOut = "result_left_out"
    }

    private enum CodingKeys: String, CodingKey {
        case id, command, state, reason, message, issuer, progress, `repeat`, result
        case issuedAt = "issued_at"
        case expiresAt = "expires_at"
        case retryAfter = "retry_after"
    }

    package init(
        id: String?,
        command: String?,
        state: State,
        reason: Reason? = nil,
        message: String? = nil,
        issuer: String? = nil,
        issuedAt: Timestamp? = nil,
        expiresAt: Timestamp? = nil,
        repeat: Bool = false,
        result: JSON? = nil
    ) {
        self.id = id
        self.command = command
        self.state = state
        self.reason = reason
        self.message = message
        self.issuer = issuer
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.repeat = `repeat`
        self.result = result
    }

    /// Reads the form that ``encode(to:)`` writes; nil if `json` is not a response.
    package init?(_ json: JSON) {
        guard case .object(let members) = json, case .string(let state) = members["state"],
            let state = State(rawValue: state)
        else { return nil }
        func text(_ key: String) -> String? {
            if case .string(let text) = members[key] { text } else { nil }
        }
        self.init(
            id: text("id"),
            command: text("command"),
            state: state,
            reason: text("reason").flatMap(Reason.init),
            message: text("message"),
            issuer: text("issuer"),
            issuedAt: text("issued_at").flatMap(Timestamp.init),
            expiresAt: text("expires_at").flatMap(Timestamp.init),
            repeat: members["repeat"] == true,
            result: members["result"]
        )
        if case .integer(let seconds) = members["retry_after"] { self.retryAfter = Int(exactly: seconds) }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        // Every response has these keys, with null for a missing value.
        try container.encode(self.id, forKey: .id)
        try container.encode(self.command, forKey: .command)
        try container.encode(self.state, forKey: .state)
        try container.encode(self.reason, forKey: .reason)
        try container.encode(self.issuer, forKey: .issuer)
        try container.encode(self.repeat, forKey: .repeat)
        try container.encodeIfPresent(self.issuedAt, forKey: .issuedAt)
        try container.encodeIfPresent(self.expiresAt, forKey: .expiresAt)
        try container.encodeIfPresent(self.progress, forKey: .progress)
        try container.encodeIfPresent(self.message, forKey: .message)
        try container.encodeIfPresent(self.retryAfter, forKey: .retryAfter)
        try container.encodeIfPresent(self.result, forKey: .result)
    }
}
