// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327

/// The facts about the adapter, and about the vehicle behind it, that outlive the process.
///
/// They spare the next process the reset of the adapter, if it can prove that the settings are still there, the trials,
/// and the wait of the first poll for the bitmaps of the vehicle.
package struct AdapterMemory: Sendable {
    /// The facts that an earlier process has left, or that were kept last; nil if there are none about an adapter at this
    /// address.
    package var known: KnownAdapter?
    /// The last vehicle; nil if its bitmaps are not known.
    package var vehicle: KnownVehicle?
    /// The facts that an earlier process has left.
    package let earlier: KnownAdapter?
    /// Keeps the facts for the next process; it must not block for long.
    package var persist: @Sendable (KnownAdapter, KnownVehicle?) -> Void

    package init(
        _ known: KnownAdapter? = nil,
        _ vehicle: KnownVehicle? = nil,
        persist: @escaping @Sendable (KnownAdapter, KnownVehicle?) -> Void = { _, _ in }
    ) {
        (self.known, self.vehicle, self.earlier) = (known, vehicle, known)
        self.persist = persist
    }
}
