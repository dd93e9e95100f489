// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import EventLoop

/// One vehicle that several adapters are plugged into.
package final class SharedVehicle: Sendable {
    private let vehicle: Locked<SimulatedVehicle>

    package init(_ vehicle: SimulatedVehicle) {
        self.vehicle = Locked(vehicle)
    }

    /// Looks at the vehicle or changes it.
    package func withVehicle<Result: Sendable>(_ body: (inout SimulatedVehicle) -> Result) -> Result {
        self.vehicle.withLock { vehicle in body(&vehicle) }
    }
}
