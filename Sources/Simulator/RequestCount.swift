// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The numbers of requests on a vehicle's bus, by the state of the vehicle.
///
/// They show whether the agent leaves a parked vehicle alone.
package struct RequestCount: Hashable, Sendable {
    /// The number of times that ``ignitionOffTimes`` keeps.
    private static let limit = 10_000

    /// The requests while the engine ran, while only the ignition was on, and while the ignition was off.
    package private(set) var engineRunning = 0
    package private(set) var ignitionOn = 0
    package private(set) var ignitionOff = 0
    /// The times of the first 10,000 requests with the ignition off.
    package private(set) var ignitionOffTimes: [MonotonicTime] = []

    mutating func count(_ state: VehicleState, at time: MonotonicTime) {
        if state.engineRuns {
            self.engineRunning += 1
        } else if state.ignition {
            self.ignitionOn += 1
        } else {
            self.ignitionOff += 1
            if self.ignitionOffTimes.count < Self.limit { self.ignitionOffTimes.append(time) }
        }
    }
}
