// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import OBD2
import Session
import Store

/// What is polled of which vehicle.
struct Selections: Sendable {
    let store: Store
    /// What the configuration selects, for every vehicle of which nothing else is kept.
    let configured: Locked<[ParameterKey: Duration]>
    /// The names of the custom parameters.
    let custom: Set<String>

    /// What is to be polled of a vehicle.
    func selection(of vehicle: String) async -> Selection {
        guard let body = await self.store.selection(of: vehicle), let kept = KeptSelection(body, custom: self.custom)
        else { return Selection(intervals: self.configured.withLock { $0 }) }
        return kept.selection(configured: self.configured.withLock { $0 })
    }

    /// This is the lasting selection of a vehicle; it is on the disk with the response that is told next.
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
