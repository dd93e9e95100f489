// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Store
import Uplink

/// Keeps, records and publishes the findings of specialists.
struct FindingRecorder: Sendable {
    let store: Store
    let uplink: Uplink
    let clock: any MonotonicClock

    /// Returns whether a vehicle of this name was ever identified.
    func isKnown(_ vehicle: String) async -> Bool { await self.store.isKnown(vehicle) }

    /// Persists, records and publishes a finding.
    ///
    /// The finding is on the disk before this returns, unless the write fails: `Uplink.storeProblem` has the reason.
    func record(_ finding: Finding, of vehicle: String) async {
        let entry = FindingEntry(vehicle: vehicle, at: self.clock.now, body: Array(finding.json.text.utf8))
        await self.store.remember(entry)
        var event = AgentEvent(.findingRecorded)
        event.finding = finding
        await self.uplink.record(event, of: vehicle)
        await self.uplink.update(finding, of: vehicle)
    }

    /// Publishes the newest finding again, because the broker may be another one or have lost it.
    func republish(of vehicle: String) async {
        // The file can contain any bytes.
        guard let body = await self.store.lastFinding(of: vehicle),
            let finding = (try? JSON(parsing: body, depthLimit: 4)).flatMap(Finding.init)
        else { return }
        await self.uplink.update(finding, of: vehicle)
    }
}
