// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import EventLoop

/// A vehicle that several adapters share.
package final class SharedVehicle: Sendable {
    private let vehicle: Locked<SimulatedVehicle>

    package init(_ vehicle: SimulatedVehicle) {
        self.vehicle = Locked(vehicle)
    }

    /// Calls `body` with exclusive access to the vehicle, and returns its result.
    package func withVehicle<Result: Sendable>(_ body: (inout SimulatedVehicle) -> Result) -> Result {
        self.vehicle.withLock { vehicle in body(&vehicle) }
    }
}
