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
}

/// A well-formed command.
package struct Command: Hashable, Sendable {
    package let id: String
    package let action: Action
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    /// The vehicles that it is meant for, any of them; empty where the sender has not said.
    package let audience: Set<String>
    /// Who has signed it; nil where nobody has.
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

    /// What is to be done.
    package enum Action: Hashable, Sendable {
        case describe
        case readCodes
        /// Whether it is done though the engine may run, and though not all that it erases can be read; and whether a
        /// parked vehicle is woken for it.
        case clearCodes(
            Confirmation,
            overridesEngine: Bool = false,
            acceptsIncomplete: Bool = false,
            wakes: Bool = false
        )
        case readParameters([ParameterKey])
        case selectParameters(SelectionWish)
        case readMonitors
        case readVehicle
        case runTest(ControlRequest)
        case boost([ParameterKey], for: Duration)
        case recordFinding(String, Finding.Severity, codes: [TroubleCode])
        case rawRequest(RawOrder)
        case wake(for: Duration)

        /// Whether it may change the vehicle, so that it makes a difference how often it is obeyed.
        var changesVehicle: Bool {
            switch self {
            case .clearCodes, .runTest: true
            case .rawRequest(let order): order.requests.contains { $0.effect != .reads }
            case .describe, .readCodes, .readParameters, .selectParameters, .readMonitors, .readVehicle, .boost,
                .recordFinding, .wake:
                false
            }
        }

        /// Whether a parked vehicle is woken for it.
        var wakes: Bool {
            switch self {
            case .clearCodes(_, _, _, wakes: let wakes): wakes
            case .wake: true
            case .describe, .readCodes, .readParameters, .selectParameters, .readMonitors, .readVehicle, .runTest,
                .boost, .recordFinding, .rawRequest:
                false
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
            }
        }
    }

    /// Requests as bytes, and whom they go to.
    package struct RawOrder: Hashable, Sendable {
        /// How many there may be.
        static let limit = 32

        package var requests: [RawRequest]
        /// The only one to ask; nil asks everybody.
        package var destination: Destination?
        /// How long nothing is polled afterwards, so that more can follow.
        package var hold: Duration

        package init(_ requests: [RawRequest], to destination: Destination? = nil, hold: Duration = .zero) {
            self.requests = requests
            self.destination = destination
            self.hold = hold
        }
    }

    /// What the sender of `clear_codes` knows to be there.
    package enum Confirmation: Hashable, Sendable {
        case all
        /// Stored and pending codes; any other that the vehicle has stops the clear.
        case codes(Set<TroubleCode>)
    }
}

/// Why a message is not a command that is obeyed, and as much of it as could be read.
package struct Refusal: Error, Hashable, Sendable {
    package var id: String?
    package var command: String?
    /// Who has signed the message; nil where nobody has, or nobody knows.
    package var issuer: String?
    package var reason: CommandResponse.Reason
    /// What is wrong, where, and what would be right.
    package var message: String
}
