// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A part of the endless rounds of a vehicle: a drive, a charge, or a time at rest.
package struct VehiclePhase: Hashable, Sendable {
    package enum Kind: Hashable, Sendable, CaseIterable {
        /// The drive is enabled, and the vehicle makes a trip.
        case drive
        /// The drive is enabled, and the vehicle stands.
        case standing
        /// The ignition is on, and the drive is not enabled.
        case ignition
        /// The vehicle is locked, and its ECUs are still awake.
        case awake
        case asleep
        /// The DC-DC converter charges the 12 V battery of the parked vehicle. No ECU answers.
        case topUp
        /// The plug is in, the vehicle does not charge, and its ECUs are awake: before a charge, or when it is full.
        case pluggedIn
        /// Only the ECUs that report the charge answer.
        case charging
        case pluggedAsleep

        /// Whether the drive is enabled.
        package var isReady: Bool { self == .drive || self == .standing }
        package var hasIgnition: Bool { self.isReady || self == .ignition }
        package var isPluggedIn: Bool { self == .pluggedIn || self == .charging || self == .pluggedAsleep }
        /// Whether all ECUs answer.
        package var isAwake: Bool { self.hasIgnition || self == .awake || self == .pluggedIn }

        /// The mean voltage of the 12 V supply.
        package var voltage: Double {
            switch self {
            case .drive, .standing: 14.4
            case .ignition: 12.3
            case .awake, .pluggedIn: 12.5
            case .asleep, .pluggedAsleep: 12.6
            case .topUp: 14.0
            case .charging: 14.1
            }
        }
    }

    package var kind: Kind
    /// The length of the phase.
    ///
    /// A drive takes at least a second.
    package var duration: Duration
    /// The mean voltage of the 12 V supply in V.
    ///
    /// With nil, the kind of the phase determines it.
    package var voltage: Double?

    package init(_ kind: Kind, _ duration: Duration, voltage: Double? = nil) {
        self.kind = kind
        self.duration = duration
        self.voltage = voltage
    }

    /// Returns a round of a vehicle without phases of its own.
    ///
    /// A vehicle that is charged from outside locks its doors after the trip, sleeps with a top-up of its 12 V battery,
    /// charges, and sleeps at the plug. Any other has its ignition on after the trip, and sleeps.
    static func round(
        _ powertrain: PowertrainKind,
        trip: Duration,
        pause: Duration,
        parking: Duration,
        charge: Duration
    ) -> [VehiclePhase] {
        guard powertrain.isChargeable else {
            return [VehiclePhase(.drive, trip), VehiclePhase(.ignition, pause), VehiclePhase(.asleep, parking)]
        }
        return [
            VehiclePhase(.drive, trip), VehiclePhase(.awake, pause), VehiclePhase(.asleep, parking / 2),
            VehiclePhase(.topUp, parking / 10), VehiclePhase(.asleep, parking * 2 / 5),
            VehiclePhase(.pluggedIn, charge / 10), VehiclePhase(.charging, charge),
            VehiclePhase(.pluggedIn, charge / 10),
            VehiclePhase(.pluggedAsleep, charge / 5),
        ]
    }
}
