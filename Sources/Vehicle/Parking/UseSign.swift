// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A reading of an ECU that shows whether the vehicle is in use.
package enum UseSign: Hashable, Sendable {
    /// The speed of the engine, in rpm.
    case engineSpeed(Double)
    /// The speed of the vehicle, in any unit.
    case vehicleSpeed(Double)
    /// Whether the drive is enabled.
    case ready(Bool)
    /// Whether the traction battery is charged from outside of the vehicle.
    case charging(Bool)

    /// A sign without its value.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case engineSpeed = "engine_speed"
        case vehicleSpeed = "vehicle_speed"
        case ready
        case charging

        /// Whether the sign, if it is set, shows that the vehicle drives or is about to.
        package var showsDriving: Bool { self != .charging }
    }

    /// A kind of sign, and the value that has it.
    package struct Source: Hashable, Sendable {
        package let kind: Kind
        /// The name of the value.
        package let name: String

        package init(_ kind: Kind, _ name: String) {
            self.kind = kind
            self.name = name
        }
    }

    var kind: Kind {
        switch self {
        case .engineSpeed: .engineSpeed
        case .vehicleSpeed: .vehicleSpeed
        case .ready: .ready
        case .charging: .charging
        }
    }

    /// Whether the engine turns, the vehicle moves, the drive is enabled, or the battery is charged.
    var isSet: Bool {
        switch self {
        case .engineSpeed(let speed), .vehicleSpeed(let speed): speed != 0
        case .ready(let isSet), .charging(let isSet): isSet
        }
    }
}
