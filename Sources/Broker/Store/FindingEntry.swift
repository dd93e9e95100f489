// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A specialist's finding about a vehicle.
package struct FindingEntry: Hashable, Sendable {
    /// The largest number of findings about one vehicle.
    static let limit: Int64 = 100
    /// The largest number of findings about all vehicles together.
    static let limitOfAll: Int64 = 1000

    /// The vehicle's topic level.
    package let vehicle: String
    /// The arrival of the finding, on the monotonic clock of this boot.
    package let at: MonotonicTime
    /// A JSON object.
    package let body: [UInt8]

    package init(vehicle: String, at: MonotonicTime, body: [UInt8]) {
        self.vehicle = vehicle
        self.at = at
        self.body = body
    }
}
