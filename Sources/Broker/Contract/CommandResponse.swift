// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The body of a record of `responses`.
package struct CommandResponse: Encodable, Hashable, Sendable {
    /// The command's id; null where it could not be read.
    package var id: String?
    package var command: String?
    package var state: State
    package var reason: Reason?
    /// What is wrong and what to do about it, in a sentence.
    package var message: String?
    /// Who signed the command; null for an unsigned one.
    package var issuer: String?
    /// From when to when the command was to be obeyed; nil where that could not be read.
    package var issuedAt: Timestamp?
    package var expiresAt: Timestamp?
    /// How far a running command has come.
    package var progress: Progress?
    /// Whether this is the first answer of an id that came again.
    package var `repeat`: Bool
    package var result: JSON?

    /// Whether it must outlive a power cut: a word about a command that was judged.
    ///
    /// Not so how far one has come, what was said before, and what is said to whoever has sent no command: a flood of
    /// those would wear the disk out.
    package var isBinding: Bool { self.issuedAt != nil && self.state != .running && !self.repeat }

    /// Whether it answers what anybody can send who may publish a command: no trusted signature stands behind it, it was
    /// no command that was judged, or the command came before and may be a copy.
    package var isForStranger: Bool { self.issuer == nil || self.issuedAt == nil || self.repeat }

    package enum State: String, CaseIterable, Encodable, Hashable, Sendable {
        case accepted, running, succeeded, failed, refused

        /// Whether nothing more follows.
        package var isFinal: Bool { self != .accepted && self != .running }
    }

    /// A step of a command that takes several.
    package struct Progress: Encodable, Hashable, Sendable {
        /// From 1 to ``steps``.
        package let step: Int
        package let steps: Int
        /// What is done in it, for people.
        package let doing: String

        package init(step: Int, steps: Int, doing: String) {
            self.step = step
            self.steps = steps
            self.doing = doing
        }
    }

    /// Why a command was refused or failed.
    package enum Reason: String, Encodable, CaseIterable, Hashable, Sendable {
        // Refused before the bus is touched.
        case malformed
        /// Nobody who is trusted has signed it so.
        case badSignature = "bad_signature"
        /// Whoever does not sign may not ask for this.
        case unsigned
        case roleInsufficient = "role_insufficient"
        /// Too many commands: not looked at, and its id is not used up.
        case rateLimited = "rate_limited"
        case unknownCommand = "unknown_command"
        case badArguments = "bad_arguments"
        case retained
        case expired
        case issuedInFuture = "issued_in_future"
        case lifetimeTooLong = "lifetime_too_long"
        case clockUnknown = "clock_unknown"
        /// The journal begins later than the command was issued: nobody knows whether it was obeyed before.
        case beforeJournal = "before_journal"
        case wrongVehicle = "wrong_vehicle"
        /// The vehicle could not be identified.
        case vehicleUnknown = "vehicle_unknown"
        case notAllowed = "not_allowed"
        /// What is to be changed is not what the sender knew.
        case versionConflict = "version_conflict"
        /// Too many commands wait: not looked at, and its id is not used up.
        case busy
        case notConnected = "not_connected"
        /// The vehicle's bus is left alone.
        case parked
        case lowVoltage = "low_voltage"
        /// A parked vehicle was asked as often as it may be.
        case noProbeLeft = "no_probe_left"
        /// This vehicle has no such service.
        case notSupported = "not_supported"
        /// No configuration allows this service.
        case serviceForbidden = "service_forbidden"
        // Refused by what the vehicle says.
        case engineRunning = "engine_running"
        case vehicleMoving = "vehicle_moving"
        case engineSpeedUnknown = "engine_speed_unknown"
        case vehicleSpeedUnknown = "vehicle_speed_unknown"
        case codesUnknown = "codes_unknown"
        case codesDiffer = "codes_differ"
        /// Since the snapshot was taken.
        case codesChanged = "codes_changed"
        /// Not all that would be erased could be read.
        case snapshotIncomplete = "snapshot_incomplete"
        /// What would be erased could not be written to the disk first.
        case snapshotNotKept = "snapshot_not_kept"
        /// What it brought, or that it is obeyed, could not be written to the disk.
        case notKept = "not_kept"
        // Failed on the bus.
        case negativeResponse = "negative_response"
        case noAnswer = "no_answer"
        case codesRemain = "codes_remain"
        case linkLost = "link_lost"
        /// The process ended in the middle of it.
        case interrupted
    }

    private enum CodingKeys: String, CodingKey {
        case id, command, state, reason, message, issuer, progress, `repeat`, result
        case issuedAt = "issued_at"
        case expiresAt = "expires_at"
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

    /// Reads what ``encode(to:)`` has written; nil where that is no response.
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
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        // Consumers find these keys in every response, null or not.
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
        try container.encodeIfPresent(self.result, forKey: .result)
    }
}
