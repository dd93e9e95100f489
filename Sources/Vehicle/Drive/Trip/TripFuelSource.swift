// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The values from which the fuel of a trip is integrated.
enum TripFuelSource {
    /// The flow that the agent derives from what the vehicle reports, and the rate of PID 5E itself.
    static let names: Set = ["fuel_flow", "fuel_rate"]
    static let unit = "L/h"
}
