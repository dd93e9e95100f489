// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract
import Drive

/// The trip that goes on, as an agent has stored it.
package struct PresentTrip: Sendable {
    package let report: TripReport
    /// The last time at which the agent saw the vehicle drive.
    package let end: Timestamp
    package let clock: ClockQuality

    /// Reads the stored state of a vehicle's trips; nil if no trip goes on.
    package init?(stored body: [UInt8]) {
        guard let memory = TripMemory(JSON(payload: body)), let trip = memory.present, let boot = trip.boot else {
            return nil
        }
        self.report = TripReport(trip)
        self.end = boot.start + trip.end.time.sinceBoot
        self.clock = boot.isSynchronised ? .synchronised : .unsynchronised
    }
}
