// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import OBD2
import Parking
import Session
import Base
import Uplink

// The vehicle's 12 V supply, which the adapter tells.
extension Reporter {
    /// Publishes and records what is worth it of a vehicle of which everybody knows which one it is.
    ///
    /// That is so while it is parked too, as long as the adapter has not been away.
    func tellSupply(_ report: ParkingReport) async {
        guard self.ownsSupply, self.wrongVehicle == nil else { return }
        let now = self.clock.now
        let samples = self.supplyNews.take(report, at: now).map { self.mapping.supply($0, at: now) }
        guard !samples.isEmpty else { return }
        await self.uplink.ingest(samples)
        await self.noteTold(samples)
    }

    /// The names of what is selected, and of what is always told.
    static func names(with selected: Set<String>) -> Set<String> {
        selected.union(SupplyValue.allCases.map(\.rawValue))
    }
}
