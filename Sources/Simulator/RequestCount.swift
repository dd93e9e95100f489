// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The requests that were put on a vehicle's bus, by what the vehicle was doing: the truth about who leaves it alone.
package struct RequestCount: Hashable, Sendable {
    /// How many times ``whileOff`` keeps.
    private static let limit = 10_000

    /// While the engine ran, with the ignition on and the engine off, and with the ignition off.
    package private(set) var running = 0
    package private(set) var on = 0
    package private(set) var off = 0
    /// When those were with the ignition off.
    package private(set) var whileOff: [MonotonicTime] = []

    mutating func count(_ state: VehicleState, at time: MonotonicTime) {
        if state.engineRuns {
            self.running += 1
        } else if state.ignition {
            self.on += 1
        } else {
            self.off += 1
            if self.whileOff.count < Self.limit { self.whileOff.append(time) }
        }
    }
}
