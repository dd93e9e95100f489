// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Parking
import Session
import Uplink

// The end of the machine, which is none of the agent.
extension Reporter {
    /// Whether the vehicle is known to be parked, or nobody knows better.
    var isParked: Bool { self.parking?.isParked ?? false }

    /// The last words: why the machine is switched off.
    func leaves(_ reason: String) async {
        self.shuttingDown = reason
        var event = AgentEvent(.shuttingDown)
        event.reason = reason
        await self.uplink.record(event)
        await self.reportStatus()
    }

    /// The machine stays on after all.
    func stays() async {
        self.shuttingDown = nil
        await self.reportStatus()
    }
}
