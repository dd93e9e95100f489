// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Why a vehicle is asked, and why no longer.
extension Parking {
    /// Why a parked vehicle is asked.
    package enum Reason: Hashable, Sendable {
        case start, appearance, change, interval, wake

        /// Whether a vehicle that answers and does not run is left alone at once.
        package var wantsMotion: Bool { self == .change || self == .interval }
    }

    /// How a session, or the way to one, came to its end.
    package enum End: Hashable, Sendable {
        /// No ECU answered, or none does any more; the voltage at that moment, where it is known.
        case silent(Double?)
        /// ECUs answer, and nothing turns.
        case standing
        /// The voltage is too low.
        case lowVoltage
        /// The adapter can't be reached.
        case unreachable
        /// The vehicle was parked, and still is.
        case rest
        /// Anything else that broke it off.
        case broken

        var isSilent: Bool { if case .silent = self { true } else { false } }
    }
}
