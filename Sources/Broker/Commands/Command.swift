// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract
package import OBD2

/// The commands that this agent knows.
package enum CommandName: String, CaseIterable, Hashable, Sendable {
    case describe
    case readCodes = "read_codes"
    case clearCodes = "clear_codes"
    case readParameters = "read_parameters"
    case selectParameters = "select_parameters"
    case readMonitors = "read_monitors"
    case readVehicle = "read_vehicle"
    case runTest = "run_test"
    case boost
    case recordFinding = "record_finding"
    case rawRequest = "raw_request"
    case wake
    case detectParameters = "detect_parameters"
    case capture
    case resend
}

/// A well-formed command.
package struct Command: Hashable, Sendable {
    package let id: String
    package let action: Action
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    /// The names of the vehicles that the command is for; empty for any vehicle.
    package let audience: Set<String>
    /// The signer; nil for an unsigned command.
    package let signer: Signer?

    package init(
        id: String,
        action: Action,
        issuedAt: Timestamp,
        expiresAt: Timestamp,
        audience: Set<String> = [],
        signer: Signer? = nil
    ) {
        self.id = id
        self.action = action
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.audience = audience
        self.signer = signer
    }

    init(_ envelope: CommandEnvelope, _ action: Action) {
        self.init(
            id: envelope.id,
            action: action,
            issuedAt: envelope.issuedAt,
            expiresAt: envelope.expiresAt,
            audience: envelope.audience,
            signer: envelope.signer
        )
    }

    /// The operation with its arguments.
    package enum Action: Hashable, Sendable {
        case describe
        case readCodes
        /// Clears the confirmed codes.
        ///
        /// `overridesEngine` accepts a running engine. `acceptsIncomplete` accepts that not all erased data can be read.
        /// `wakes` wakes a parked vehicle first.
        case clearCodes(
            Confirmation,
            overridesEngine: Bool = false,
            acceptsIncomplete: Bool = false,
            wakes: Bool = false
        )
        case readParameters([ParameterKey])
        case selectParameters(SelectionRequest)
        case readMonitors
        case readVehicle
        case runTest(ControlRequest)
        case boost([ParameterKey], for: Duration)
        case recordFinding(String, Finding.Severity, codes: [TroubleCode])
        case rawRequest(RawOrder)
        case wake(for: Duration)
        /// Searches the model among those of a make; nil takes make and model year from the VIN.
        case detectParameters(make: String?, year: Int?)
        case capture(CaptureOrder)
        case resend(ResendArguments)

        /// Whether the action may change the vehicle, so that it must not run twice.
        var changesVehicle: Bool {
            switch self {
            case .clearCodes, .runTest: true
            case .rawRequest(let order): order.requests.contains { $0.effect != .reads }
            case .describe, .readCodes, .readParameters, .selectParameters, .readMonitors, .readVehicle, .boost,
                .recordFinding, .wake, .detectParameters, .capture, .resend:
                false
            }
        }

        /// Whether the action wakes a parked vehicle.
        var wakes: Bool {
            switch self {
            case .clearCodes(_, _, _, wakes: let wakes): wakes
            case .wake: true
            case .describe, .readCodes, .readParameters, .selectParameters, .readMonitors, .readVehicle, .runTest,
                .boost, .recordFinding, .rawRequest, .detectParameters, .capture, .resend:
                false
            }
        }

        /// Whether the action is about a vehicle, so that it waits until the vehicle is identified.
        var needsVehicle: Bool {
            switch self {
            case .describe, .resend: false
            default: true
            }
        }

        package var name: CommandName {
            switch self {
            case .describe: .describe
            case .readCodes: .readCodes
            case .clearCodes: .clearCodes
            case .readParameters: .readParameters
            case .selectParameters: .selectParameters
            case .readMonitors: .readMonitors
            case .readVehicle: .readVehicle
            case .runTest: .runTest
            case .boost: .boost
            case .recordFinding: .recordFinding
            case .rawRequest: .rawRequest
            case .wake: .wake
            case .detectParameters: .detectParameters
            case .capture: .capture
            case .resend: .resend
            }
        }
    }

    /// The arguments of `raw_request`.
    package struct RawOrder: Hashable, Sendable {
        package var requests: [RawRequest]
        /// The ECU to ask; nil asks all ECUs.
        package var destination: Destination?
        /// The time without polls afterwards, in which further requests can follow.
        package var hold: Duration

        package init(_ requests: [RawRequest], to destination: Destination? = nil, hold: Duration = .zero) {
            self.requests = requests
            self.destination = destination
            self.hold = hold
        }
    }

    /// The codes that the sender of `clear_codes` expects.
    package enum Confirmation: Hashable, Sendable {
        case all
        /// Stored and pending codes; any other code of the vehicle stops the clear.
        case codes(Set<TroubleCode>)
    }
}

/// The reason why a message or a command is refused, with the parts of the message that could be read.
package struct Refusal: Error, Hashable, Sendable {
    package var id: String?
    package var command: String?
    /// The issuer of the verified signature; nil without one.
    package var issuer: String?
    package var reason: CommandResponse.Reason
    /// The error with its place and the expected value.
    package var message: String
    /// The seconds after which the command may be sent again under its id; nil if they are unknown.
    package var retryAfter: Int?
}

extension Refusal {
    /// Creates the refusal of a command that was read, for a reason outside of it.
    package init(_ reason: CommandResponse.Reason, _ message: String) {
        self.init(reason: reason, message: message)
    }
}
