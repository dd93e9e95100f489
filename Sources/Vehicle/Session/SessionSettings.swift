// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2
package import Parking

/// The settings for the vehicle of a session.
package struct VehicleSettings: Sendable {
    /// The protocol of the bus; nil lets the adapter search.
    package var bus: BusProtocol?
    /// The parameters that may be selected of every vehicle besides those of the catalogue.
    package var custom: [CustomParameter]
    /// The derived parameters that may be selected, and the values that are watched.
    package var derived: DerivedPolling
    /// The parameters whose ECUs are asked, besides those of parameters with a role, to find and identify the vehicle.
    ///
    /// They do not change with the selection, so that the identity does not change with it.
    package var searched: Set<ParameterKey>
    /// Returns the custom parameters that only this vehicle has, besides ``custom``.
    ///
    /// No other vehicle is asked for them.
    package var own: @Sendable (VehicleIdentity) -> [CustomParameter]
    /// Returns the parameters that are read while the vehicle is charged.
    package var charging: @Sendable () -> [ParameterKey]
    /// Whether a vehicle is an expected one.
    ///
    /// The bus of any other vehicle is not used.
    package var isExpected: @Sendable (VehicleIdentity) -> Bool

    package init(
        bus: BusProtocol? = nil,
        custom: [CustomParameter] = [],
        derived: DerivedPolling = DerivedPolling(),
        searched: Set<ParameterKey> = [],
        own: @escaping @Sendable (VehicleIdentity) -> [CustomParameter] = { _ in [] },
        charging: @escaping @Sendable () -> [ParameterKey] = { [] },
        isExpected: @escaping @Sendable (VehicleIdentity) -> Bool = { _ in true }
    ) {
        self.bus = bus
        self.custom = custom
        self.derived = derived
        self.searched = searched
        self.own = own
        self.charging = charging
        self.isExpected = isExpected
    }

    /// The parameters that every vehicle may have besides those of the catalogue, by name.
    var customByName: [String: CustomParameter] {
        Dictionary(self.custom.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Returns the short list that is polled while the vehicle is charged.
    func chargingList(every interval: Duration) -> Selection {
        Selection(intervals: Dictionary(self.charging().map { ($0, interval) }) { first, _ in first })
    }
}

/// The settings for the parked vehicle of a session.
package struct ParkingSettings: Sendable {
    package var policy: ParkingPolicy
    /// The probes that earlier processes spent.
    package var probes: ProbeRecord
    /// Persists the spent probes before the bus is used; it must not block for long.
    package var persistProbes: @Sendable (ProbeRecord) -> Void
    /// Whether quiet hours apply.
    ///
    /// True while the local time is unknown.
    package var isQuiet: @Sendable () -> Bool

    package init(
        _ policy: ParkingPolicy = ParkingPolicy(),
        probes: ProbeRecord = ProbeRecord(),
        persistProbes: @escaping @Sendable (ProbeRecord) -> Void = { _ in },
        isQuiet: @escaping @Sendable () -> Bool = { false }
    ) {
        self.policy = policy
        self.probes = probes
        self.persistProbes = persistProbes
        self.isQuiet = isQuiet
    }
}
