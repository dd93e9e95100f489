// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2
package import Parking

/// An event of a session for the rest of the agent.
package enum SessionEvent: Sendable {
    case link(LinkState)
    /// The vehicle is identified, or its identity has new facts.
    case identified(VehicleIdentity)
    /// The vehicle is identified, and is not an expected one, so its bus is not used.
    case unexpected(VehicleIdentity)
    case samples([Sample])
    case monitors([ECUAddress: MonitorStatus])
    case codes(CodeReading)
    /// A caller has read the monitors and their test results.
    case tests(MonitorReading)
    /// The trials of the adapter's capabilities have ended.
    case adapter(AdapterReport)
    /// Another selection is polled.
    case selected(Selection)
    /// The adapter rejects a command, so these custom parameters are not polled.
    case refused(line: String, parameters: [String])
    /// These ECUs do not report the maxima of PID 4F or 50, so the values that depend on them are not published.
    case unscaled(PID, [ECUAddress])
    /// The ECU answers none of its requests, so these custom parameters are not polled in this drive.
    case silent(Destination, parameters: [String])
    /// The ignition, the parking, or the battery has changed.
    case parking(ParkingReport)
    /// The number of lines and messages that were dropped since the last event of this kind.
    case dropped(Int)
}

/// The progress of a session.
package enum LinkState: Hashable, Sendable {
    /// The link to the adapter is being opened.
    case connecting
    /// The adapter starts up, or searches for a vehicle.
    case starting(StartUp.Phase)
    /// A vehicle answers.
    case connected(AdapterReport)
    /// The last attempt failed with this error; the next one follows after the duration.
    case waiting(SessionError, Duration)
    /// The vehicle is parked, and the link is opened only to read the voltage.
    case parked
}
