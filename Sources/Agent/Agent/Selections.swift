// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import OBD2
import Store

/// The selections of the vehicles: the stored ones, and the configured one for all others.
struct Selections: Sendable {
    let store: Store
    /// The configured selection, for every vehicle without a stored one.
    let configured: Locked<[ParameterKey: Duration]>
    /// The names of the custom parameters.
    let custom: Set<String>

    /// Returns the selection to poll from a vehicle.
    func selection(of vehicle: String) async -> Selection {
        guard let body = await self.store.selection(of: vehicle), let kept = KeptSelection(body, custom: self.custom)
        else { return Selection(intervals: self.configured.withLock { $0 }) }
        return kept.selection(configured: self.configured.withLock { $0 })
    }

    /// Stores the lasting selection of a vehicle.
    ///
    /// The next response's flush writes it to the disk.
    func keep(_ selection: Selection, of vehicle: String) async {
        let kept = KeptSelection(
            version: selection.version,
            intervals: selection.intervals,
            deadBands: selection.deadBands,
            configured: self.configured.withLock { $0 }
        )
        await self.store.remember(selection: kept.body, of: vehicle)
    }
}
