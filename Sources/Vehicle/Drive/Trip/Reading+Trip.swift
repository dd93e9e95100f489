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
        case .vehicleSpeed: self.usualValue >= TripMotion.standstill
        case .engineSpeed: self.value > 0
        case .ready: self.value != 0
        default: false
        }
    }

    /// Whether the reading shows that the engine does not turn.
    var showsStoppedEngine: Bool { self.role == .engineSpeed && self.value == 0 }
}
