// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

// The readings that tell about a trip.
extension Reading {
    /// The name of the run time since the engine's start (PID 1F).
    static let runTime = "run_time"
    static let engineLoad = "engine_load"
    static let coolant = "coolant_temperature"

    /// Whether the vehicle drives, or is about to: it moves, its engine turns, or its drive is enabled.
    var isSignOfDrive: Bool {
        switch self.role {
        case .vehicleSpeed: self.kilometersPerHour.map { $0 >= TripMotion.standstill } ?? false
        case .engineSpeed: self.value > 0
        case .ready: self.value != 0
        default: false
        }
    }

    /// Whether the reading shows that the engine does not turn.
    var showsStoppedEngine: Bool { self.role == .engineSpeed && self.value == 0 }

    /// The speed in km/h; nil if the unit is none of a speed.
    var kilometersPerHour: Double? {
        switch self.unit {
        case "km/h": self.value
        case "mph": self.value * 1.609344
        case "m/s": self.value * 3.6
        default: nil
        }
    }

    /// The factor from the unit of a distance to km; nil if the unit is none.
    var kilometersPerUnit: Double? {
        switch self.unit {
        case "km": 1
        case "mi": 1.609344
        default: nil
        }
    }

    /// The power in kW; nil if the unit is none of a power.
    var kilowatts: Double? {
        switch self.unit {
        case "kW": self.value
        case "W": self.value / 1000
        default: nil
        }
    }
}
