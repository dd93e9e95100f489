// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Store
import Uplink

// What specialists find out.
extension Reporter {
    /// Whether a vehicle of this name was ever identified.
    func knows(_ vehicle: String) async -> Bool { await self.store.isKnown(vehicle) }

    /// A specialist has found this; it is on the disk when this returns, unless that has failed.
    func record(_ finding: Finding, of vehicle: String) async {
        let entry = FindingEntry(vehicle: vehicle, at: self.clock.now, body: Array(finding.json.text.utf8))
        await self.store.remember(entry)
        var event = AgentEvent(.findingRecorded)
        event.finding = finding
        await self.uplink.record(event, of: vehicle)
        await self.uplink.update(finding, of: vehicle)
    }

    /// The newest finding about a vehicle is published again: the broker may be another, or have lost it.
    func reportFinding(about vehicle: String) async {
        // What is in the file may be anything.
        guard let body = await self.store.lastFinding(of: vehicle),
            let finding = (try? JSON(parsing: body, depthLimit: 4)).flatMap(Finding.init)
        else { return }
        await self.uplink.update(finding, of: vehicle)
    }
}
