// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2
package import Parking

/// What a session tells the rest of the agent.
package enum SessionEvent: Sendable {
    case link(LinkState)
    /// The vehicle is known, or more of it is.
    case identified(VehicleIdentity)
    /// The vehicle is known, and none of those that are expected: it is left alone.
    case unexpected(VehicleIdentity)
    case samples([Sample])
    case monitors([ECUAddress: MonitorStatus])
    case codes(CodeReading)
    /// Somebody wanted to know what the monitors' tests came to.
    case tests(MonitorReading)
    /// More is known of what the adapter can do.
    case adapter(AdapterReport)
    /// The polled set is another one.
    case selected(Selection)
    /// The adapter does not take a command: these custom parameters are not asked.
    case refused(line: String, parameters: [String])
    /// Whether it is in use, and its battery, are not what they were.
    case parking(ParkingReport)
    /// So many lines and messages were thrown away since the last of these events.
    case dropped(Int)
}

/// How far a session is.
package enum LinkState: Hashable, Sendable {
    /// On the way to the adapter.
    case connecting
    /// The adapter is brought up, or looks for a vehicle.
    case starting(StartUp.Phase)
    /// A vehicle answers.
    case connected(AdapterReport)
    /// The next attempt comes after so long.
    case waiting(SessionError, Duration)
    /// The vehicle is parked; the link is down but for a look at the voltage.
    case parked
}
