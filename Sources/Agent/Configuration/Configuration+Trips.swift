// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Drive

extension Configuration {
    /// The record of the vehicle's trips.
    package struct Trips: Equatable, Sendable {
        /// Whether trips are recorded, and the parameters for them polled.
        package var isEnabled: Bool
        /// The limits above which a trip counts an event.
        package var limits: TripLimits

        package init(isEnabled: Bool = true, limits: TripLimits = TripLimits()) {
            self.isEnabled = isEnabled
            self.limits = limits
        }
    }
}
