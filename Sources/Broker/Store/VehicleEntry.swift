// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A vehicle that was connected.
package struct VehicleEntry: Hashable, Sendable {
    /// The vehicle's topic level.
    package let name: String
    package let vin: String?
    /// The mark that identifies the vehicle, even if its VIN is not stored.
    package let mark: String?
    /// The time of the identification, on the monotonic clock of this boot.
    package let at: MonotonicTime

    package init(name: String, vin: String?, mark: String? = nil, at: MonotonicTime) {
        self.name = name
        self.vin = vin
        self.mark = mark ?? vin
        self.at = at
    }
}
